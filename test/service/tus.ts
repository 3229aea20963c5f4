/** Resumable uploads as a real service takes them: its tokens, addresses and refusals around one of the stores. */
import type { AssetEntry } from "./assets.ts";
import { corsHeaders } from "./cors.ts";
import { answer, answerErrors, type Exchange } from "./exchange.ts";
import type { Switches } from "./switches.ts";
import { tusPath, type UploadStore } from "./upload-store.ts";

export interface TusOptions {
  switches: Switches;
  store: UploadStore;
  findToken(token: string): AssetEntry | undefined;
  findUpload(uploadId: string): AssetEntry | undefined;
  terminate(entry: AssetEntry): Promise<void>;
}

// The id's slash stays encoded: a client that decodes or rebuilds the address gets 404.
const location = /^\/api\/asset\/upload\/tus\/directUpload%2F(\w+)$/;

export function createTus(options: TusOptions): (exchange: Exchange) => Promise<void> {
  const { switches } = options;

  async function run(exchange: Exchange, entry: AssetEntry): Promise<void> {
    const { incoming, outgoing } = exchange;
    const { status, headers, text } = await options.store.handle(exchange, entry);
    const answered: Record<string, string> = corsHeaders("upload", incoming, switches);
    for (const [name, value] of Object.entries(headers))
      if (!name.startsWith("access-control-") && name !== "content-length") answered[name] = value;
    if (incoming.method === "DELETE" && status === 204) await options.terminate(entry);
    answer(outgoing, status, answered, text);
  }

  function create(exchange: Exchange): Promise<void> | void {
    const { incoming, outgoing, query } = exchange;
    const cors = corsHeaders("upload", incoming, switches);
    const refuse = (status: number, error: string) =>
      answerErrors(outgoing, status, cors, [error], switches.nestedErrors);
    const token = query.get("token");
    if (!token) return refuse(401, "missing upload token");
    const entry = options.findToken(token);
    if (entry === undefined) return refuse(403, "invalid upload token");
    if (entry.terminated) return refuse(404, "asset not found");
    if (entry.transfer !== null) return refuse(422, "asset has already been uploaded");
    if (incoming.headers["upload-concat"] !== undefined) return refuse(501, "concatenation is not supported");
    return run(exchange, entry);
  }

  return async (exchange) => {
    const { incoming, outgoing, path } = exchange;
    if (path === tusPath && incoming.method === "POST") return create(exchange);
    const uploadId = location.exec(incoming.url ?? "")?.[1];
    const entry = uploadId === undefined ? undefined : options.findUpload(uploadId);
    if (entry !== undefined && /^(HEAD|PATCH|DELETE)$/.test(incoming.method ?? ""))
      return run(exchange, entry);
    answer(outgoing, 404, corsHeaders("upload", incoming, switches), "The file for this url was not found\n");
  };
}
