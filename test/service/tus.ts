/** Resumable uploads: the tus protocol by `@tus/server`, with a real service's habits around it. */
import { Server } from "@tus/server";
import type { AssetEntry } from "./assets.ts";
import type { Sink } from "./body.ts";
import { corsHeaders } from "./cors.ts";
import { answer, answerErrors, type Exchange } from "./exchange.ts";
import { currentRequest, PartStore, type PartStoreOptions } from "./part-store.ts";
import type { Switches } from "./switches.ts";

export interface TusOptions extends PartStoreOptions {
  switches: Switches;
  findToken(token: string): AssetEntry | undefined;
  findUpload(uploadId: string): AssetEntry | undefined;
  finish(entry: AssetEntry, size: number): Promise<void>;
  terminate(entry: AssetEntry): Promise<void>;
}

export const tusPath = "/api/asset/upload/tus";

// The id's slash stays encoded: a client that decodes or rebuilds the address gets 404.
const location = /^\/api\/asset\/upload\/tus\/directUpload%2F(\w+)$/;

export function createTus(options: TusOptions): (exchange: Exchange) => Promise<void> {
  const { switches } = options;
  const server = new Server({
    path: tusPath,
    datastore: new PartStore(options),
    // A HEAD after a connection that is half dead need not wait long for it.
    lockDrainTimeout: 50,
    disableTerminationForFinishedUploads: true,
    namingFunction: (request) => request.headers.get("x-upload-id") ?? "",
    getFileIdFromRequest: (request) => request.headers.get("x-upload-id") ?? undefined,
    generateUrl: (request, { id }) => {
      const scheme = switches.locationScheme || "http";
      return `${scheme}://${request.headers.get("host")}${tusPath}/directUpload%2F${id}`;
    },
    async onUploadFinish(_request, upload) {
      const entry = options.findUpload(upload.id);
      if (entry !== undefined) await options.finish(entry, upload.offset);
      return {};
    },
  });

  async function run(exchange: Exchange, entry: AssetEntry): Promise<void> {
    const { incoming, outgoing, body } = exchange;
    const headers = new Headers({ host: incoming.headers.host ?? "", "x-upload-id": entry.uploadId });
    for (const [name, value] of Object.entries(incoming.headers))
      if (/^(tus-|upload-|content-)/.test(name)) headers.set(name, String(value));
    const gate = createGate();
    const method = incoming.method ?? "";
    const hasBody = method === "PATCH" || method === "POST";
    const request = new Request(`http://127.0.0.1${exchange.path}`, {
      method,
      headers,
      ...(hasBody ? { body: gate.stream, duplex: "half" } : {}),
    } as RequestInit);
    const watched = {
      receive: (sink: Sink) => body.receive(sink).finally(gate.close),
      stop: body.stop,
    };
    const context = { body: watched, assetId: entry.asset.id, creating: method === "POST" };
    const response = await currentRequest.run(context, () => server.handleWeb(request));
    const answered: Record<string, string> = corsHeaders("upload", incoming);
    for (const [name, value] of response.headers)
      if (!name.startsWith("access-control-") && name !== "content-length") answered[name] = value;
    if (method === "DELETE" && response.status === 204) await options.terminate(entry);
    answer(outgoing, response.status, answered, await response.text());
  }

  function create(exchange: Exchange): Promise<void> | void {
    const { incoming, outgoing, query } = exchange;
    const cors = corsHeaders("upload", incoming);
    const refuse = (status: number, error: string) =>
      answerErrors(outgoing, status, cors, [error], switches.nestedErrors);
    const token = query.get("token");
    if (!token) return refuse(401, "missing upload token");
    const entry = options.findToken(token);
    if (entry === undefined) return refuse(403, "invalid upload token");
    if (entry.terminated) return refuse(404, "asset not found");
    if (entry.transfer !== null) return refuse(422, "asset has already been uploaded");
    if (incoming.headers["upload-concat"] !== undefined) return refuse(501, "concatenation is not supported");
    if (switches.refuseDeferredLength && incoming.headers["upload-defer-length"] !== undefined)
      return answer(outgoing, 400, { ...cors, "content-type": "text/plain" }, "Upload-Length is required\n");
    return run(exchange, entry);
  }

  return async (exchange) => {
    const { incoming, outgoing, path } = exchange;
    if (path === tusPath && incoming.method === "POST") return create(exchange);
    const uploadId = location.exec(incoming.url ?? "")?.[1];
    const entry = uploadId === undefined ? undefined : options.findUpload(uploadId);
    if (entry !== undefined && /^(HEAD|PATCH|DELETE)$/.test(incoming.method ?? ""))
      return run(exchange, entry);
    answer(outgoing, 404, corsHeaders("upload", incoming), "The file for this url was not found\n");
  };
}

/** A body that never carries anything: its end tells the store that the server wants the request over. */
function createGate(): { stream: ReadableStream; close(): void } {
  let controller: ReadableStreamDefaultController | undefined;
  const stream = new ReadableStream({
    start(opened) {
      controller = opened;
    },
  });
  return {
    stream,
    close() {
      try {
        controller?.close();
      } catch {
        // The server has cancelled it already.
      }
    },
  };
}
