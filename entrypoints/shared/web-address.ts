/** Small questions about addresses. Pure; none of them throws. */
import { decodeOrKeep, plainText } from "../../core/extension.ts";

/** The origin of an address; empty where there is none. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "";
}

export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}

export function isWebAddress(address: string): boolean {
  // Data may be long, and isn't read for this.
  if (/^data:/i.test(address)) return false;
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/** The last part of an address's path, as a person reads it; empty where there is none. */
export function fileNameOf(address: string): string {
  if (!URL.canParse(address)) return "";
  return plainText(decodeOrKeep(new URL(address).pathname.split("/").at(-1) ?? "")).trim();
}
