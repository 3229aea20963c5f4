/** The package mediabunny, which reads and writes containers: loaded when a video in pieces is opened. */
import { InputError } from "../errors/errors.ts";
import { importMediabunny, type Mediabunny } from "./mediabunny-import.ts";

export let mediabunny: Mediabunny;

/** @throws {InputError} `invalid-source` where it isn't installed */
export async function loadMediabunny(): Promise<void> {
  const loaded = mediabunny ?? (await importMediabunny());
  const state = "the package mediabunny isn't installed here. Add it, version 1.61 or newer";
  if (loaded === undefined) throw new InputError("invalid-source", `Cannot open a playlist: ${state}`);
  mediabunny = loaded;
}
