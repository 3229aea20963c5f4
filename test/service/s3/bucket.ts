/** One bucket: its objects and multipart uploads as files, so that they outlive a restart. */
import { randomUUID } from "node:crypto";
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

interface StoredObject {
  path: string;
  size: number;
  etag: string;
  metadata: Record<string, string>;
}

export interface Part {
  number: number;
  size: number;
  etag: string;
}

export class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type Bucket = Awaited<ReturnType<typeof openBucket>>;

/** What every part but the last must have. */
const LEAST_PART = 5 * 1024 * 1024;
const COPY_SIZE = 4 * 1024 * 1024;

export async function openBucket(directory: string) {
  const [objects, uploads, receiving] = ["objects", "uploads", "receiving"].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  // What the last run was killed in the middle of: bodies that came, and uploads on their way out.
  await rm(receiving, { recursive: true, force: true });
  for (const path of [objects, uploads, receiving]) await mkdir(path, { recursive: true });

  const objectPath = (key: string) => join(objects, encodeURIComponent(key));
  const uploadPath = (uploadId: string) => join(uploads, encodeURIComponent(uploadId));
  /** A path for a body while it arrives, or for an upload that is removed. */
  const receivingPath = () => join(receiving, randomUUID());

  /** Takes an upload out of the bucket at once: a folder that parts still come into can't be removed. */
  async function take(uploadId: string): Promise<string> {
    const taken = receivingPath();
    await rename(uploadPath(uploadId), taken).catch(noSuchUpload);
    return taken;
  }

  async function abort(uploadId: string): Promise<void> {
    // Refuses an id that is empty, too.
    await readUpload(uploadId);
    await removeTaken(await take(uploadId));
  }

  /** Makes a received file an object; returns its ETag. */
  async function put(key: string, received: string, metadata: Record<string, string>): Promise<string> {
    const path = objectPath(key);
    const etag = await etagOf(received);
    await writeFile(`${path}.json`, JSON.stringify(metadata));
    await rename(received, path);
    return etag;
  }

  async function readUpload(uploadId: string): Promise<{ key: string; metadata: Record<string, string> }> {
    const text = await readFile(join(uploadPath(uploadId), "upload.json"), "utf8").catch(noSuchUpload);
    return JSON.parse(text) as { key: string; metadata: Record<string, string> };
  }

  return {
    receivingPath,
    put,
    abort,

    async get(key: string): Promise<StoredObject | undefined> {
      const path = objectPath(key);
      try {
        const metadata = JSON.parse(await readFile(`${path}.json`, "utf8")) as Record<string, string>;
        return { path, size: (await stat(path)).size, etag: await etagOf(path), metadata };
      } catch {
        return undefined;
      }
    },

    async delete(key: string) {
      await rm(objectPath(key), { force: true });
      await rm(`${objectPath(key)}.json`, { force: true });
    },

    async createUpload(key: string, metadata: Record<string, string>) {
      const uploadId = randomUUID();
      await mkdir(uploadPath(uploadId));
      await writeFile(join(uploadPath(uploadId), "upload.json"), JSON.stringify({ key, metadata }));
      return uploadId;
    },

    /** Makes a received file a part, in place of one with the same number; returns its ETag. */
    async putPart(uploadId: string, number: number, received: string) {
      const etag = await etagOf(received);
      await rename(received, join(uploadPath(uploadId), String(number))).catch(noSuchUpload);
      return etag;
    },

    /** In the order of their numbers. */
    async listParts(uploadId: string): Promise<Part[]> {
      const names = await readdir(uploadPath(uploadId)).catch(noSuchUpload);
      const numbers = names.map(Number).filter(Number.isInteger);
      const parts = numbers.map(async (number) => {
        const path = join(uploadPath(uploadId), String(number));
        return { number, size: (await stat(path)).size, etag: await etagOf(path) };
      });
      return (await Promise.all(parts).catch(noSuchUpload)).sort((a, b) => a.number - b.number);
    },

    async complete(uploadId: string, wanted: Pick<Part, "number" | "etag">[]) {
      const { key, metadata } = await readUpload(uploadId);
      if (wanted.length === 0)
        throw new S3Error(400, "MalformedXML", "The XML you provided was not well-formed");
      if (wanted.some(({ number }, at) => number <= (wanted[at - 1]?.number ?? 0)))
        throw new S3Error(400, "InvalidPartOrder", "The list of parts was not in ascending order.");
      const files: FileHandle[] = [];
      const assembled = receivingPath();
      try {
        for (const { number, etag } of wanted) {
          const path = join(uploadPath(uploadId), String(number));
          // An open file stays as it is when a part of the same number takes its place.
          files.push(await open(path, "r").catch(() => invalidPart()));
          if ((await etagOf(path)) !== etag) invalidPart();
        }
        const sizes = await Promise.all(files.map(async (file) => (await file.stat()).size));
        if (sizes.slice(0, -1).some((size) => size < LEAST_PART))
          throw new S3Error(
            400,
            "EntityTooSmall",
            "Your proposed upload is smaller than the minimum allowed size",
          );
        await concatenate(files, assembled);
        // Of two that complete the same upload one comes first.
        const done = await take(uploadId);
        const etag = await put(key, assembled, metadata);
        await removeTaken(done);
        return etag;
      } finally {
        await Promise.all(files.map((file) => file.close()));
        await rm(assembled, { force: true });
      }
    },

    /** Aborts what was begun before a time (ISO 8601), as a rule of the bucket does. */
    async sweep(before: string) {
      for (const uploadId of await readdir(uploads)) {
        const begun = await stat(join(uploads, uploadId, "upload.json")).catch(() => undefined);
        if (begun !== undefined && begun.mtime.toISOString() < before)
          await abort(uploadId).catch(unlessGone);
      }
    },

    async clear() {
      for (const uploadId of await readdir(uploads)) await abort(uploadId).catch(unlessGone);
      for (const name of await readdir(objects)) await rm(join(objects, name), { force: true });
    },
  };
}

/** Another one for every write, and the same after a restart, without reading the bytes. */
async function etagOf(path: string): Promise<string> {
  const { size, ino, mtimeNs } = await stat(path, { bigint: true });
  return [size, ino, mtimeNs].map((each) => each.toString(16)).join("-");
}

async function concatenate(files: FileHandle[], path: string): Promise<void> {
  const target = await open(path, "w");
  const buffer = Buffer.alloc(COPY_SIZE);
  try {
    for (const file of files) {
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, COPY_SIZE);
        if (bytesRead === 0) break;
        await target.writeFile(buffer.subarray(0, bytesRead));
      }
    }
  } finally {
    await target.close();
  }
}

/** Also a part that had found the folder before it was taken may still come into it. */
const removeTaken = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5 });

/** Lets the failure pass of an upload that was put together or aborted meanwhile. */
function unlessGone(error: unknown): void {
  if (!(error instanceof S3Error && error.code === "NoSuchUpload")) throw error;
}

function noSuchUpload(error: NodeJS.ErrnoException): never {
  if (error.code !== "ENOENT") throw error;
  throw new S3Error(404, "NoSuchUpload", "The specified multipart upload does not exist.");
}

function invalidPart(): never {
  throw new S3Error(400, "InvalidPart", "One or more of the specified parts could not be found.");
}
