/** What is wrong with the options that are no request fields: core decides where it knows, here are the words. */
import { createClient } from "../../core/client.ts";
import { isUpcutError, readBaseUrl, readToken } from "../../core/validate.ts";
import { isLoopback, isWebAddress } from "../shared/web-address.ts";

/** Adds the scheme that a person leaves out of a host's name; anything else stays as it is. */
export function withScheme(text: string): string {
  const address = text.trim();
  const host = /^([\w.-]+)(:\d+)?(\/|$)/.exec(address)?.[1] ?? "";
  if (isLoopback(host)) return `http://${address}`;
  return /^[\w-]+(\.[\w-]+)+$/.test(host) ? `https://${address}` : address;
}

/** Whether a token sent there could be read on the way. */
export function isPlain(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

export function addressProblem(address: string): string | undefined {
  if (address.trim() === "") return "Enter the address of your service.";
  return problemOf(() => readBaseUrl(address));
}

export function tokenProblem(token: string): string | undefined {
  if (token.trim() === "") return "Paste the token of your account.";
  return problemOf(() => readToken(token));
}

export function pathProblem(name: "requestUpload" | "terminate", path: string): string | undefined {
  if (path === "") return undefined;
  // A client sends nothing until it is told to.
  return problemOf(() =>
    createClient({ baseUrl: "https://video.example", token: "unused", paths: { [name]: path } }),
  );
}

export function uploadsAtATimeProblem(uploads: number): string | undefined {
  return Number.isInteger(uploads) && uploads >= 1 && uploads <= 10
    ? undefined
    : "Give a whole number from 1 to 10.";
}

export function streamPageProblem(pattern: string): string | undefined {
  if (pattern === "") return undefined;
  try {
    // The empty alternative always matches, and tells how many groups there are.
    const groups = new RegExp(`${pattern}|`).exec("")?.length ?? 0;
    return groups > 1 ? undefined : "Put brackets around the part that is the stream's id: ([^/]+)";
  } catch {
    return "Not a valid regular expression.";
  }
}

export function playbackPageProblem(page: string): string | undefined {
  if (page === "") return undefined;
  if (!/\{(playbackId|assetId)\}/.test(page)) return "Put {playbackId} or {assetId} where the id belongs.";
  const filled = page.replaceAll(/\{(playbackId|assetId)\}/g, "id");
  return isWebAddress(filled) ? undefined : "Give a whole address that begins with https://";
}

/** Core's message without what only a programmer needs. */
function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    const state = error.message.replace(/^Cannot [^:]+: /, "").replace(/^(baseUrl|paths\.\w+)\b/, "this");
    return `${state.charAt(0).toUpperCase()}${state.slice(1)}.`;
  }
}
