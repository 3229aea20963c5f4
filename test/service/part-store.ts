/** Where resumable uploads are kept: counted by the byte, or as strictly as an S3-like store with its parts. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type FileHandle, open, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { DataStore, ERRORS, Upload } from "@tus/server";
import type { Body, Sink } from "./body.ts";
import type { Shelf } from "./shelf.ts";
import { LEAST_PART, type Switches } from "./switches.ts";

export interface UploadEntry {
  id: string;
  assetId: string;
  /** Absent while the length is deferred. */
  size?: number;
  /** What a HEAD answers. */
  offset: number;
  metadata?: Record<string, string | null>;
  createdAt: string;
  /** What is on disk, also of a request that is still open. */
  arrived: number;
  /** Body bytes of all requests together. */
  received: number;
  /** Where each request wrote, in order. */
  ranges: [start: number, end: number][];
  /** Acknowledged bytes that will not be in the object. */
  lost: [start: number, end: number][];
  terminated: boolean;
}

export interface PartStoreOptions {
  uploads: Shelf<UploadEntry>;
  switches: Switches;
  pathOf(assetId: string): string;
}

export interface CurrentRequest {
  body: Pick<Body, "receive" | "stop">;
  assetId: string;
  /** True if the request carries the first bytes with the creation. */
  creating: boolean;
}

/** The request a write belongs to: its body is read from the socket, past the server's four streams in between. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();

/** The answer of S3 for a multipart upload that was swept away, or put together. */
const NO_SUCH_UPLOAD = { status_code: 500, body: "The specified upload does not exist" };

export class PartStore extends DataStore {
  readonly #options: PartStoreOptions;

  constructor(options: PartStoreOptions) {
    super();
    this.#options = options;
    this.extensions = ["creation", "creation-with-upload", "creation-defer-length", "termination"];
  }

  override async create(upload: Upload): Promise<Upload> {
    const { uploads, switches, pathOf } = this.#options;
    const { assetId } = demand(currentRequest.getStore());
    const known = uploads.get(upload.id);
    // Created again: a byte-counting store goes on where it was, one of parts starts again.
    if (known !== undefined && !switches.parts) return this.getUpload(upload.id);
    const entry = newUpload(upload.id, assetId, known);
    if (upload.size !== undefined) entry.size = upload.size;
    if (upload.metadata !== undefined) entry.metadata = upload.metadata;
    await (await open(pathOf(assetId), "w")).close();
    uploads.put(entry.id, entry);
    await uploads.flush();
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const entry = this.#find(id);
    const { size, metadata, createdAt } = entry;
    return new Upload({
      id,
      offset: this.#isSwept(entry) ? (size ?? entry.offset) : entry.offset,
      creation_date: createdAt,
      ...(size === undefined ? {} : { size }),
      ...(metadata ? { metadata } : {}),
    });
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    this.#find(id).size = size;
    await this.#save(id);
  }

  override async write(gate: Readable, id: string, offset: number): Promise<number> {
    const { body, creating } = demand(currentRequest.getStore());
    const entry = this.#find(id);
    if (this.#isSwept(entry)) throw NO_SUCH_UPLOAD;
    // The gate carries no bytes; it ends early when another request wants this upload.
    gate.on("end", body.stop).on("error", body.stop).resume();
    const file = await open(this.#options.pathOf(entry.assetId), "r+");
    try {
      const sink = fileSink(file, offset, {
        size: entry.size,
        discard: this.#options.switches.discardBytes,
        onWrite: (position) => {
          entry.arrived = position;
          this.#options.uploads.notice();
        },
      });
      const { bytes, whole } = await body.receive(sink);
      const end = offset + bytes;
      entry.received += bytes;
      entry.ranges.push([offset, end]);
      const { parts, storePartSize: partSize } = this.#options.switches;
      const complete = end === entry.size;
      if (complete) entry.offset = end;
      else if (parts) countParts(entry, offset, end, { whole, creating, partSize });
      else entry.offset = end;
      entry.arrived = entry.offset;
      if (complete) await finishFile(file, entry);
      await this.#save(id);
      if (!whole && !complete) throw ERRORS.ABORTED;
      return end;
    } finally {
      await file.close();
    }
  }

  override async remove(id: string): Promise<void> {
    const entry = this.#find(id);
    if (this.#isSwept(entry)) throw NO_SUCH_UPLOAD;
    entry.terminated = true;
    await rm(this.#options.pathOf(entry.assetId), { force: true });
    await this.#save(id);
  }

  /** The parts of an upload are gone before they were put together, until it is created again. */
  #isSwept({ offset, size, createdAt }: UploadEntry): boolean {
    const { swept } = this.#options.switches;
    return swept !== "" && createdAt < swept && offset !== size;
  }

  #find(id: string): UploadEntry {
    const entry = this.#options.uploads.get(id);
    if (entry === undefined) throw ERRORS.FILE_NOT_FOUND;
    if (entry.terminated) throw ERRORS.FILE_NO_LONGER_EXISTS;
    return entry;
  }

  async #save(id: string): Promise<void> {
    const { uploads } = this.#options;
    const entry = uploads.get(id);
    if (entry === undefined) return;
    uploads.put(id, entry);
    await uploads.flush();
  }
}

/** An upload without bytes; what came by an earlier one of the same id is remembered. */
export function newUpload(id: string, assetId: string, known: UploadEntry | undefined): UploadEntry {
  return {
    id,
    assetId,
    offset: 0,
    arrived: 0,
    createdAt: new Date().toISOString(),
    received: known?.received ?? 0,
    ranges: known?.ranges ?? [],
    lost: [],
    terminated: false,
  };
}

/** Moves the offset as a store of parts would, whatever the answer says. */
function countParts(
  entry: UploadEntry,
  start: number,
  end: number,
  { whole, creating, partSize }: { whole: boolean; creating: boolean; partSize: number },
): void {
  const wholeParts = start + Math.floor((end - start) / partSize) * partSize;
  if (!whole) entry.offset = wholeParts;
  else if (creating && end > 0) {
    entry.lost.push([Math.floor((end - 1) / partSize) * partSize, end]);
    entry.offset = end;
  } else if (end - wholeParts >= LEAST_PART || end === wholeParts) entry.offset = end;
  else if (wholeParts > start) {
    // The short last part gets the number that the next request's first part will take.
    entry.lost.push([wholeParts, end]);
    entry.offset = end;
  }
}

async function finishFile(file: FileHandle, entry: UploadEntry): Promise<void> {
  for (const [start, end] of entry.lost) {
    await file.write(Buffer.alloc(end - start, "lost part "), 0, end - start, start);
  }
  await file.truncate(entry.offset);
}

export interface FileSinkOptions {
  /** More than this is refused. */
  size?: number | undefined;
  /** Count only. */
  discard?: boolean;
  onWrite?(position: number): void;
}

/** Writes at and after a position of a file. */
export function fileSink(file: FileHandle, start: number, options: FileSinkOptions = {}): Sink {
  const { size = Infinity, discard = false, onWrite } = options;
  let position = start;
  return {
    async write(chunks) {
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      if (position + length > size) throw ERRORS.ERR_SIZE_EXCEEDED;
      if (!discard && (await file.writev(chunks, position)).bytesWritten !== length)
        throw ERRORS.FILE_WRITE_ERROR;
      position += length;
      onWrite?.(position);
    },
  };
}

function demand<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("Cannot store an upload outside of a request");
  return value;
}
