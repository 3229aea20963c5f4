/** Problems of settings that are no request fields: core decides where it knows, here are the sentences. */
import { createClient } from "../../core/client.ts";
import { isRefused } from "../shared/is-refused.ts";
import type { Settings } from "../shared/settings.ts";
import { pagePattern } from "../shared/stream-pages.ts";
import { t } from "../shared/translate.ts";
import { isWebAddress } from "../shared/web-address.ts";

export function pathProblem(name: keyof Settings["paths"], path: string): string | undefined {
  if (path === "") return undefined;
  // A client sends nothing until it is told to.
  const client = { baseUrl: "https://video.example", token: "unused", paths: { [name]: path } };
  if (!isRefused(() => createClient(client))) return undefined;
  if (!path.startsWith("/")) return t("problem.pathStart");
  if (/[?#\\\s]/.test(path)) return t("problem.pathSigns");
  if (/(^|\/)\.\.?(\/|$)/.test(path)) return t("problem.pathDots");
  const isHoleWrong = name !== "requestUpload" && path.split("{id}").length !== 2;
  return isHoleWrong ? t("problem.pathId", { id: "{id}" }) : t("problem.path");
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

export function streamPagesProblem(lines: string[]): string | undefined {
  const line = lines.find((each) => pagePattern(each) === undefined);
  if (line !== undefined) return t("streamMenu.wrongLine", { line });
  return lines.length === 0 ? t("streamMenu.noLine") : undefined;
}
