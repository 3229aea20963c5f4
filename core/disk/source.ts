/** A file on disk: read at random, never whole in memory, through the file system calls all server runtimes share. */
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { mediaTypeOf } from "../content/media-type.ts";
import { InputError, UploadError } from "../errors/errors.ts";
import { codeOf, isForbidden } from "../errors/unexpected-failure.ts";
import { describeValue } from "../redaction/redaction.ts";
import { type FileState, isSameState } from "../source/blob.ts";
import { contentIdentity, READ_SIZE, type Source } from "../source/source.ts";
import type { SelfSendingSource } from "../transfer/transport.ts";
import { shownPath, systemPath } from "./system-path.ts";
import { diskTransport } from "./transport.ts";

/**
 * Opens a file on disk for `upload()`, in Node, Bun and Deno.
 *
 * The file is held open only while it is uploaded; a file that changes meanwhile ends the upload with
 * `source-changed`.
 *
 * @param path a path or a `file:` URL. A byte that is no UTF-8 is written as half a character, U+DC80 for 0x80: no runtime but
 * Node and Bun opens such a file
 * @returns the file, for `upload()`
 * @throws {InputError} `invalid-source` if there is no such file.
 * @example Open a file by its URL
 * ```ts
 * import { openFile } from "@upcut/core/file";
 *
 * const source = await openFile(new URL(import.meta.url));
 * console.log(source.size !== undefined && source.size > 0); // true
 * ```
 */
export async function openFile(path: string | URL): Promise<Source> {
  const file = readPath(path);
  const name = shownPath(basename(file));
  const facts = await stat(systemPath(file)).catch((error: unknown) => {
    const message = `Cannot open ${describeValue(name)}: ${reasonOf(error)}`;
    throw new InputError("invalid-source", message, { cause: error });
  });
  if (!facts.isFile())
    throw new InputError("invalid-source", `Cannot open ${describeValue(name)}: it is not a file`);
  return diskSource(file, name, facts);
}

function readPath(path: unknown): string {
  const bad = (found: string) =>
    new InputError("invalid-source", `Cannot open ${found}: expected a path or a file: URL`);
  if (path instanceof URL) {
    try {
      return fileURLToPath(path);
    } catch {
      throw bad(
        path.protocol === "file:"
          ? "the file: URL, which is not a path here"
          : `a URL that begins with "${path.protocol}"`,
      );
    }
  }
  if (typeof path !== "string" || path.trim() === "" || path.includes("\0")) throw bad(describeValue(path));
  return resolve(path);
}

function diskSource(path: string, name: string, { size, mtimeMs }: FileState): SelfSendingSource {
  let handle: Promise<FileHandle> | undefined;
  const failedToRead = (error: unknown) => `Cannot read ${describeValue(name)}: ${reasonOf(error)}`;

  let state: FileState | undefined;

  const opened = async (): Promise<FileHandle> => {
    handle ??= open(systemPath(path), "r");
    try {
      return await handle;
    } catch (error) {
      handle = undefined;
      throw new UploadError("source-changed", failedToRead(error), { cause: error });
    }
  };

  const verify = async (): Promise<void> => {
    const now = await (await opened()).stat();
    // The rights of the file may have changed before this call.
    state ??= { ...now, size, mtimeMs };
    if (isSameState(now, state)) return;
    // Moving a file changes its ctime as well.
    const isMoved = (await stat(systemPath(path)).catch(() => undefined))?.ino !== now.ino;
    if (!isMoved || !isSameState({ ...now, ctimeMs: state.ctimeMs }, state))
      throw changed(name, now.size > size);
  };

  const fill = async (target: Uint8Array, position: number): Promise<number> => {
    const file = await opened();
    let filled = 0;
    while (filled < target.length) {
      const { bytesRead } = await file
        .read(target, filled, target.length - filled, position + filled)
        .catch((error: unknown) => {
          throw new UploadError("source-unreadable", failedToRead(error), { cause: error });
        });
      if (bytesRead === 0) throw changed(name);
      filled += bytesRead;
    }
    return filled;
  };

  const read = async (start: number, end: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(end - start);
    await fill(bytes, start);
    return bytes;
  };

  return {
    name,
    type: mediaTypeOf(undefined, name),
    size,
    rereadable: true,
    transport: diskTransport(),
    verify,
    identity: () => contentIdentity(size, mtimeMs, read),
    async slice(start, end) {
      await verify();
      const stop = Math.min(end, size);
      return {
        size: stop - start,
        last: stop === size,
        fill: (target, position) =>
          fill(target.subarray(0, Math.max(0, stop - start - position)), start + position),
        async *pieces(): AsyncGenerator<Uint8Array, undefined> {
          for (let at = start; at < stop; at += READ_SIZE)
            yield await read(at, Math.min(stop, at + READ_SIZE));
        },
      };
    },
    async close() {
      const closing = handle;
      handle = state = undefined;
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}

function changed(name: string, hasGrown = false): UploadError {
  const state = `the file ${hasGrown ? "grew" : "changed"} while it was uploaded`;
  const advice = hasGrown
    ? "Upload it once nothing writes it any more"
    : "Start a new upload once it is finished";
  return new UploadError("source-changed", `Cannot upload ${describeValue(name)}: ${state}. ${advice}`);
}

/** System errors name paths; their code says enough. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM" || isForbidden(error)) return "reading it is not allowed";
  return code ?? "it can't be read";
}
