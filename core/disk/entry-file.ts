/**
 * One entry of a journal as a file: read only where it is the owner's own, written whole or not at all. The next version of it
 * may stand in a line below, with a checksum: the last line that is whole counts.
 */
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { UploadError } from "../errors/errors.ts";
import { codeOf } from "../errors/unexpected-failure.ts";
import { cannotResume } from "../journal/store.ts";
import { RESERVED_SIZE } from "../journal/terms.ts";
import { parseJson } from "../text/is-object.ts";
import { isExpired } from "./expiry.ts";
import { removeFile, syncNames } from "./folder.ts";
import { pastScanners } from "./scanners.ts";

/** Bytes of the largest entry: a record takes three thousand, and digests of 10,000 parts some hundred thousand. */
const LARGEST_ENTRY = 64 * 1024 * 1024;

/** Links aren't followed, and what is no file doesn't keep the reader waiting; Windows knows neither. */
const OWN_FILE_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

interface Readable {
  maxAge: number;
  owner(): Promise<number>;
}

/** The room of an entry's file, for the one that may write it: the next version takes no new file then, and no name. */
export interface Room {
  file: string;
  /** Bytes up to the end of the last version, and of the file. */
  end: number;
  size: number;
  handle?: FileHandle | undefined;
  /** The last version, where it was written below the first. */
  text?: string;
}

/**
 * Reads an entry; `undefined` where there is none, or where it is too old.
 *
 * @param onRoom is told of its room
 */
export async function readEntryFile(
  file: string,
  readable: Readable,
  onRoom: (room: Room) => void = () => {},
): Promise<unknown> {
  const bytes = await readBytes(file, readable);
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  const entry = lastVersion(text);
  if (entry === undefined || entry === null) throw await putAside(file);
  onRoom({ file, end: bytes.length - (text.length - text.trimEnd().length), size: bytes.length });
  return entry;
}

export async function closeRoom(room: Room | undefined): Promise<void> {
  const handle = room?.handle;
  if (room !== undefined) room.handle = undefined;
  await handle?.close().catch(() => {});
}

function lastVersion(text: string): unknown {
  const [first = "", ...later] = text.trimEnd().split("\n");
  const whole = later.reverse().find((line) => line.startsWith(checksumOf(line.slice(CHECKSUM_LENGTH + 1))));
  return whole === undefined
    ? (parseJson(first) ?? parseJson(text))
    : parseJson(whole.slice(CHECKSUM_LENGTH));
}

const CHECKSUM_LENGTH = 16;

function checksumOf(json: string): string {
  return createHash("sha256").update(json).digest("hex").slice(0, CHECKSUM_LENGTH);
}

/** Writes an entry whole, with room for more versions of it: in what is reserved, as far as that goes. */
export async function writeWithRoom(file: string, json: string, room?: string): Promise<Room> {
  const text =
    room === undefined ? `${json}\n${" ".repeat(RESERVED_SIZE)}` : `${json}\n`.padEnd(RESERVED_SIZE);
  const handle = await putInPlace(file, text, room);
  return { file, end: Buffer.byteLength(json), size: Buffer.byteLength(text), handle };
}

/**
 * Writes the next version of an entry down to the disk. Of one that is cut, the former one stays.
 *
 * @returns false where the room is too small, or its file is gone
 */
export async function writeNext(room: Room, json: string): Promise<boolean> {
  const bytes = new TextEncoder().encode(`\n${checksumOf(json)} ${json}\n`);
  if (room.end + bytes.length > room.size) return false;
  try {
    room.handle ??= await open(room.file, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  const { bytesWritten } = await room.handle.write(bytes, 0, bytes.length, room.end);
  if (bytesWritten < bytes.length) return false;
  await room.handle.datasync();
  // The line break is written again by the next one.
  room.end += bytes.length - 1;
  room.text = json;
  // Somebody may have emptied the folder.
  return (await room.handle.stat()).nlink > 0;
}

/** Leaves an entry as earlier versions read it, which know of no version below the first, and without room. */
export async function leaveRoom({ file, end, handle, text }: Room): Promise<void> {
  if (text === undefined) await handle?.truncate(end);
  else await writeWhole(file, text);
}

/** Reads an entry for a list: one that can't be read is nothing to list, and stays as it is. */
export async function listedEntry(file: string, readable: Readable): Promise<unknown> {
  try {
    return lastVersion((await readBytes(file, readable))?.toString() ?? "");
  } catch {
    return undefined;
  }
}

/** The bytes of a file of the owner's; none where it is too large. */
async function readBytes(file: string, { maxAge, owner }: Readable): Promise<Buffer | undefined> {
  const handle = await openOwn(file);
  if (handle === undefined) return undefined;
  try {
    const facts = await handle.stat();
    if (isExpired(facts.mtimeMs, maxAge)) {
      await removeFile(file);
      return undefined;
    }
    if (!facts.isFile() || facts.uid !== (await owner())) throw notOwn();
    return facts.size <= LARGEST_ENTRY ? await handle.readFile() : Buffer.alloc(0);
  } finally {
    await handle.close();
  }
}

async function openOwn(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, OWN_FILE_ONLY);
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "ENOENT") return undefined;
    // A link, another user's file, a socket, and on Windows a folder.
    if (/^(ELOOP|EMLINK|EACCES|EPERM|ENXIO|EISDIR)$/.test(code)) throw notOwn();
    throw error;
  }
}

function notOwn(): UploadError {
  return cannotResume("its entry for this source is a link or another user's, and was not read");
}

async function putAside(file: string): Promise<UploadError> {
  const aside = `${file}.damaged`;
  await removeFile(aside);
  await rename(file, aside);
  const advice = 'It was renamed in the folder, to end in ".damaged"; the next call starts a new asset';
  return cannotResume("its entry for this source is damaged", advice);
}

export function draftOf(file: string): string {
  return `${file}.${randomUUID()}.tmp`;
}

/**
 * A reader sees the former or the new entry, never half of one, also after a power failure.
 *
 * @param room a draft that has room for it
 */
export async function writeWhole(file: string, text: string, room?: string): Promise<void> {
  await (await putInPlace(file, text, room)).close();
}

/** @returns the file, for the versions to come */
async function putInPlace(file: string, text: string, room?: string): Promise<FileHandle> {
  const draft = room ?? draftOf(file);
  const handle = await writeDraft(draft, text, room !== undefined);
  try {
    await replace(file, draft);
    return handle;
  } catch (error) {
    await handle.close();
    await removeFile(draft);
    throw error;
  }
}

async function replace(file: string, draft: string): Promise<void> {
  try {
    await pastScanners(() => rename(draft, file));
  } catch (error) {
    const found = await lstat(file).catch(() => undefined);
    if (found?.isDirectory() !== true) throw error;
    await rm(file, { recursive: true, force: true });
    await rename(draft, file);
  }
  await syncNames(dirname(file));
}

/** Makes a file as large as an entry, written down to the disk: a folder of another machine tells only then that it is full. */
export async function makeRoom(draft: string): Promise<void> {
  await (await writeDraft(draft, " ".repeat(RESERVED_SIZE))).close();
}

/**
 * Writes down to the disk: where it has given room already, so that it may be full meanwhile; else into a new file, also where
 * the room of a process that was suspended for long was cleared away.
 */
async function writeDraft(draft: string, text: string, hasRoom = false): Promise<FileHandle> {
  const handle = await open(draft, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    await handle.writeFile(text);
    if (hasRoom) await handle.truncate(Buffer.byteLength(text));
    await handle.sync();
    return handle;
  } catch (error) {
    await handle.close();
    await removeFile(draft);
    throw error;
  }
}
