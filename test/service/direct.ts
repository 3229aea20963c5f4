/** Direct uploads: one PUT, stored whole or not at all. */
import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { AssetEntry } from "./assets.ts";
import { corsHeaders } from "./cors.ts";
import { answer, answerErrors, type Exchange } from "./exchange.ts";
import { fileSink } from "./part-store.ts";
import type { Switches } from "./switches.ts";

export interface DirectOptions {
  switches: Switches;
  pathOf(assetId: string): string;
  findToken(token: string): AssetEntry | undefined;
  finish(entry: AssetEntry, size: number): Promise<void>;
}

export const directPath = "/api/asset/upload/direct";

export function createDirect(options: DirectOptions): (exchange: Exchange) => Promise<void> {
  return async ({ incoming, outgoing, query, body }) => {
    const cors = corsHeaders("upload", incoming);
    const refuse = (status: number, error: string) =>
      answerErrors(outgoing, status, cors, [error], options.switches.nestedErrors);
    if (incoming.method !== "PUT") return answer(outgoing, 404, cors, "Not found\n");
    const entry = options.findToken(query.get("token") ?? "");
    if (entry === undefined) return refuse(403, "invalid upload token");
    if (entry.terminated) return refuse(404, "asset not found");
    if (entry.transfer !== null) return refuse(422, "asset has already been uploaded");
    if (incoming.headers["content-length"] === undefined) {
      const xml =
        "<Error><Code>MissingContentLength</Code><Message>Content-Length is required</Message></Error>";
      return answer(outgoing, 411, { ...cors, "content-type": "application/xml" }, xml);
    }
    // A JSON parser in front of the store waits for a body it never passes on; the socket's close ends it.
    if (incoming.headers["content-type"]?.startsWith("application/json")) return;

    const { id } = entry.asset;
    const unfinished = `${options.pathOf(id)}.${randomUUID()}`;
    const file = await open(unfinished, "w");
    const { bytes, whole } = await body
      .receive(fileSink(file, 0, { discard: options.switches.discardBytes }))
      .finally(() => file.close());
    // Looked up again: another PUT with the same token may have been faster.
    if (!whole || entry.transfer !== null) {
      await rm(unfinished, { force: true });
      return refuse(422, "asset has already been uploaded");
    }
    entry.transfer = "direct";
    await rename(unfinished, options.pathOf(id));
    await options.finish(entry, bytes);
    const etag = createHash("md5").update(`${id}:${bytes}`).digest("hex");
    answer(outgoing, 200, { ...cors, etag: `"${etag}"` });
  };
}
