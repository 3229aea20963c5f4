/** The items of a list of sources, and their outcomes. */

import { InputError, isUpcutError, type UpcutError } from "../errors.ts";
import { isObject } from "../is-object.ts";
import type { Uploadable } from "../source/open.ts";
import { unexpectedFailure } from "../unexpected-failure.ts";
import type { UploadOptions } from "../upload/options.ts";
import type { UploadResult } from "../upload.ts";

/** A source with options of its own, which come before those of the call. */
export interface UploadItem extends Omit<UploadOptions, "signal" | "bandwidth"> {
  /**
   * The source, or a function that opens it when its turn comes: `() => openFile(path)`. Its error is a failure
   * of this source alone.
   */
  source: Uploadable | (() => Uploadable | Promise<Uploadable>);
  /** Anything of the caller's, such as a path or a row's number: it comes back with the outcome. */
  data?: unknown;
}

/** The outcome of one source: a result or an error. */
export type UploadOutcome<Item = Uploadable | UploadItem> = {
  /** Position of the source in the list. */
  index: number;
  /** The source, as it stood in the list. */
  source: Item;
} & ({ result: UploadResult; error?: undefined } | { result?: undefined; error: UpcutError });

/** Takes an element of a list apart. */
export function readItem(item: Uploadable | UploadItem): UploadItem {
  return isItem(item) ? item : { source: item };
}

function isItem(item: Uploadable | UploadItem): item is UploadItem {
  return isObject(item) && "source" in item;
}

/** Opens a source whose turn has come. */
export async function openItem(source: UploadItem["source"]): Promise<Uploadable> {
  if (typeof source !== "function") return source;
  try {
    return await source();
  } catch (error) {
    if (isUpcutError(error)) throw error;
    // Its message may hold anything.
    const kind = unexpectedFailure("open the source", error).message;
    throw new InputError("invalid-source", kind);
  }
}

/** The error of an outcome: a failure of foreign code, such as a requester's, shows its kind alone. */
export function errorOf(thrown: unknown): UpcutError {
  return isUpcutError(thrown) ? thrown : unexpectedFailure("upload", thrown);
}
