/** What the service needs of a store of resumable uploads, and where its uploads are reached. */
import type { AssetEntry } from "./assets.ts";
import type { Exchange } from "./exchange.ts";
import type { PartStoreOptions } from "./part-store.ts";
import type { Shelf } from "./shelf.ts";

export const tusPath = "/api/asset/upload/tus";

export interface StoreOptions extends PartStoreOptions {
  /** Where a store that needs more than `pathOf` keeps it, over restarts. */
  directory: string;
  assets: Shelf<AssetEntry>;
  /** The content is whole at `pathOf`. */
  finish(entry: AssetEntry, size: number): Promise<void>;
}

export interface TusAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  text: string;
}

export interface UploadStore {
  /** Carries out a request for the upload of an asset. */
  handle(exchange: Exchange, entry: AssetEntry): Promise<TusAnswer>;
  /** Finishes what the last run was killed in the middle of. */
  recover(): Promise<void>;
  switched(): void;
  reset(): Promise<void>;
  close(): Promise<void>;
}
