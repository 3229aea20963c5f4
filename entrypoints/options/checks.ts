/** What is wrong with the options that are no request fields: core decides where it knows, here are the sentences. */
import { createClient } from "../../core/client.ts";
import { isLoopback, isUpcutError, readBaseUrl, readToken } from "../../core/validate.ts";
import { t } from "../shared/translate.ts";
import { isWebAddress } from "../shared/web-address.ts";

/** Adds the scheme that a person leaves out of a host's name; anything else stays as it is. */
export function withScheme(text: string): string {
  const address = text.trim();
  const host = /^([\w.-]+)(:\d+)?(\/|$)/.exec(address)?.[1] ?? "";
  if (isLoopback(host.toLowerCase())) return `http://${address}`;
  return /^[\w-]+(\.[\w-]+)+$/.test(host) ? `https://${address}` : address;
}

/** Whether a token sent there could be read on the way. */
export function isPlain(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

export function addressProblem(address: string): string | undefined {
  if (address.trim() === "") return t("problem.noAddress");
  if (!isRefused(() => readBaseUrl(address))) return undefined;
  if (!URL.canParse(address.trim())) return t("problem.address");
  const { protocol, username, password, href } = new URL(address.trim());
  if (!/^https?:$/.test(protocol)) return t("problem.scheme", { scheme: protocol });
  if (username !== "" || password !== "") return t("problem.credentials");
  if (/^[^#]*\?/.test(href)) return t("problem.query");
  return t(href.includes("#") ? "problem.fragment" : "problem.unusableAddress");
}

export function tokenProblem(token: string): string | undefined {
  if (token.trim() === "") return t("problem.noToken");
  if (!isRefused(() => readToken(token))) return undefined;
  const own = token
    .trim()
    .replace(/^Bearer(\s|$)/i, "")
    .trim();
  if (own === "") return t("problem.emptyToken");
  return t(/\s/.test(own) ? "problem.spaceInToken" : "problem.unusableToken");
}

export function pathProblem(name: "requestUpload" | "terminate", path: string): string | undefined {
  if (path === "") return undefined;
  // A client sends nothing until it is told to.
  const client = { baseUrl: "https://video.example", token: "unused", paths: { [name]: path } };
  if (!isRefused(() => createClient(client))) return undefined;
  if (!path.startsWith("/")) return t("problem.pathStart");
  if (/[?#\\\s]/.test(path)) return t("problem.pathSigns");
  if (/(^|\/)\.\.?(\/|$)/.test(path)) return t("problem.pathDots");
  const isHoleWrong = name === "terminate" && path.split("{id}").length !== 2;
  return isHoleWrong ? t("problem.pathId", { id: "{id}" }) : t("problem.path");
}

export function uploadsAtATimeProblem(uploads: number): string | undefined {
  return Number.isInteger(uploads) && uploads >= 1 && uploads <= 10 ? undefined : t("problem.uploadsAtATime");
}

export function streamPageProblem(pattern: string): string | undefined {
  if (pattern === "") return undefined;
  try {
    // The empty alternative always matches, and tells how many groups there are.
    const groups = new RegExp(`${pattern}|`).exec("")?.length ?? 0;
    return groups > 1 ? undefined : t("problem.groups");
  } catch {
    return t("problem.expression");
  }
}

export function playbackPageProblem(page: string): string | undefined {
  if (page === "") return undefined;
  if (!/\{(playbackId|assetId)\}/.test(page))
    return t("problem.place", { playbackId: "{playbackId}", assetId: "{assetId}" });
  const filled = page.replaceAll(/\{(playbackId|assetId)\}/g, "id");
  return isWebAddress(filled) ? undefined : t("problem.wholeAddress");
}

/** Whether core refuses something. */
function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return true;
  }
}
