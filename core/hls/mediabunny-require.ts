/** Stands for `mediabunny-import.ts` in Parcel (`alias` of package.json), which lets a package be missing by `require` alone. */
import type { Mediabunny } from "./mediabunny-import.ts";

declare const require: (name: "mediabunny") => Mediabunny;

export async function importMediabunny(): Promise<Mediabunny | undefined> {
  try {
    return require("mediabunny");
  } catch {
    return undefined;
  }
}
