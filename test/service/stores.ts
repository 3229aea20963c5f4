/** The stores of resumable uploads that the service can run: its own one, and those that real services run. */
import { openFileStore } from "./file-store.ts";
import { openS3Store } from "./s3-store.ts";
import type { StoreOptions, UploadStore } from "./upload-store.ts";

/**
 * `files` is the service's own. `tus-s3-1` is `@tus/server` 1.0.0 with `@tus/s3-store` 1.0.0, `tus-s3-2` their
 * current major, both over the S3 stand-in in `s3/`; they need the packages of `test/runtimes`.
 */
export const STORE_NAMES = ["files", "tus-s3-1", "tus-s3-2"] as const;
export type StoreName = (typeof STORE_NAMES)[number];
/** The stores that real services run. */
export const REAL_STORES = ["tus-s3-1", "tus-s3-2"] as const satisfies readonly StoreName[];

/** @throws {Error} when the store's packages aren't installed */
export async function openStore(name: StoreName, options: StoreOptions): Promise<UploadStore> {
  return name === "files" ? openFileStore(options) : await openS3Store(name, options);
}

/** @throws {Error} when there is no such store */
export function parseStoreName(text: string): StoreName {
  const name = STORE_NAMES.find((each) => each === text);
  if (name === undefined) throw new Error(`Cannot use store "${text}": expected ${STORE_NAMES.join(", ")}`);
  return name;
}
