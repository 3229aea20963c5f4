/** The service's own store of resumable uploads: `@tus/server` over files that count every byte, or parts alone. */
import { Server } from "@tus/server";
import type { Sink } from "./body.ts";
import { currentRequest, PartStore } from "./part-store.ts";
import { type StoreOptions, tusPath, type UploadStore } from "./upload-store.ts";

export function openFileStore(options: StoreOptions): UploadStore {
  const { assets, uploads } = options;
  const server = new Server({
    path: tusPath,
    datastore: new PartStore(options),
    // A HEAD after a connection that is half dead need not wait long for it.
    lockDrainTimeout: 50,
    disableTerminationForFinishedUploads: true,
    namingFunction: (request) => request.headers.get("x-upload-id") ?? "",
    getFileIdFromRequest: (request) => request.headers.get("x-upload-id") ?? undefined,
    generateUrl: (request, { id }) => `http://${request.headers.get("host")}${tusPath}/directUpload%2F${id}`,
    async onUploadFinish(_request, upload) {
      const entry = assets.get(uploads.get(upload.id)?.assetId ?? "");
      if (entry !== undefined) await options.finish(entry, upload.offset);
      return {};
    },
  });

  return {
    async handle({ incoming, path, body }, entry) {
      const headers = new Headers({ host: incoming.headers.host ?? "", "x-upload-id": entry.uploadId });
      for (const [name, value] of Object.entries(incoming.headers))
        if (/^(tus-|upload-|content-)/.test(name)) headers.set(name, String(value));
      const gate = createGate();
      const method = incoming.method ?? "";
      const hasBody = method === "PATCH" || method === "POST";
      const request = new Request(`http://127.0.0.1${path}`, {
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
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
    },

    async recover() {
      for (const { assetId, offset, size } of uploads.all()) {
        const entry = assets.get(assetId);
        if (offset === size && entry !== undefined) await options.finish(entry, size);
      }
    },
    switched() {},
    async reset() {},
    async close() {},
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
