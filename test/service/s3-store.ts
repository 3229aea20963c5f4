/** Resumable uploads kept by the server and the S3 store that real services run, over the S3 stand-in. */
import { randomUUID } from "node:crypto";
import { link, rename, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { Metadata } from "@tus/server";
import { seeded } from "../support/seeded.ts";
import type { AssetEntry } from "./assets.ts";
import { newUpload, type UploadEntry } from "./part-store.ts";
import { RelayedRequest, RelayedResponse } from "./relayed-exchange.ts";
import { openBucket } from "./s3/bucket.ts";
import { clientConfigOf, openStandIn } from "./s3/stand-in.ts";
import { KEY_HEADER, loadTusServer } from "./tus-packages.ts";
import type { StoreOptions, TusAnswer, UploadStore } from "./upload-store.ts";

export async function openS3Store(
  name: "tus-s3-1" | "tus-s3-2",
  options: StoreOptions,
): Promise<UploadStore> {
  const { assets, uploads, switches } = options;
  const createServer = await loadTusServer(name);
  const bucket = await openBucket(join(options.directory, "s3"));
  let seed = switches.storeSeed;
  let random = seeded(seed);
  const standIn = await openStandIn({
    bucket,
    latency() {
      const [least, most] = switches.storeLatency;
      return least + random() * (most - least);
    },
    cuts(name, part) {
      const at = switches.storeCuts.findIndex((cut) => cut === name || cut === `${name} ${part}`);
      if (at >= 0) switches.storeCuts.splice(at, 1);
      return at >= 0;
    },
  });
  let awayTimer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;
  let { storePartSize: partSize } = switches;
  const openServer = () =>
    createServer({
      partSize,
      s3ClientConfig: {
        ...clientConfigOf(standIn),
        // The default, told here so that no file or variable of the machine changes it.
        maxAttempts: 3,
        retryMode: "standard",
        // Else it prints which calls it doesn't try again.
        logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
      },
      onStoreFailure(error) {
        if (typeof error === "object" && error !== null) failures.add(error);
      },
      async onUploadFinish({ id }) {
        const upload = uploads.get(id.slice(PREFIX.length));
        if (upload !== undefined) await adopt(upload);
      },
    });
  let server = openServer();
  // The first major leaves rejections of its calls unhandled, which would end the process; real services live with
  // that by such listeners. Anything else is a fault of this service and ends it as ever.
  const failures = new WeakSet<object>();
  const surviveFailure = (reason: unknown) => {
    if (!failures.has(reason as object)) throw reason;
  };
  const ignore = () => {};
  process.on("unhandledRejection", surviveFailure).on("rejectionHandled", ignore);

  /** Makes the object that the store holds the asset's content: what it was assembled from, not what was received. */
  async function adopt(upload: UploadEntry): Promise<void> {
    const entry = assets.get(upload.assetId);
    if (entry === undefined || entry.asset.size !== undefined || entry.terminated) return;
    const object = await bucket.get(PREFIX + upload.id);
    // An upload of no bytes is finished without the store.
    if (object === undefined && upload.size !== 0) return;
    const path = options.pathOf(upload.assetId);
    const unfinished = `${path}.${randomUUID()}`;
    if (object === undefined) await writeFile(unfinished, "");
    else await link(object.path, unfinished);
    await rename(unfinished, path);
    await options.finish(entry, object?.size ?? 0);
  }

  function remember({ uploadId, asset }: AssetEntry, headers: IncomingMessage["headers"]): UploadEntry {
    const upload = newUpload(uploadId, asset.id, uploads.get(uploadId));
    if (headers["upload-length"] !== undefined) upload.size = Number(headers["upload-length"]);
    try {
      const given = headers["upload-metadata"];
      if (given !== undefined) upload.metadata = Metadata.parse(String(given));
    } catch {
      // The server refuses it.
    }
    uploads.put(uploadId, upload);
    return upload;
  }

  function follow(upload: UploadEntry, { method, headers: asked }: IncomingMessage, answer: TusAnswer): void {
    const { status, headers } = answer;
    const offset = Number(headers["upload-offset"] ?? Number.NaN);
    if (status < 300 && Number.isInteger(offset)) upload.offset = offset;
    // A length that was deferred comes with a request, or with the answer to a later one.
    const length = headers["upload-length"] ?? asked["upload-length"];
    if (status < 300 && length !== undefined) upload.size = Number(length);
    upload.arrived = upload.offset;
    if (method === "DELETE" && status === 204) upload.terminated = true;
    uploads.put(upload.id, upload);
  }

  return {
    async handle(exchange, entry) {
      await sweeping;
      const { incoming, body } = exchange;
      const { method = "", headers } = incoming;
      const known = uploads.get(entry.uploadId);
      const upload = method === "POST" || known === undefined ? remember(entry, headers) : known;
      const start = Number(headers["upload-offset"] ?? 0);
      let end = start;
      const request = new RelayedRequest(exchange, { [KEY_HEADER]: PREFIX + upload.id }, (bytes) => {
        end += bytes;
        upload.received += bytes;
        upload.arrived = end;
        uploads.notice();
      });
      const response = new RelayedResponse();
      await server.handle(request as unknown as IncomingMessage, response as unknown as ServerResponse);
      await finished(response);
      // Else an answer that came before the body's end would wait behind bytes that nobody reads.
      if (body.isOpen) body.stop();
      incoming.resume();
      if (end > start) upload.ranges.push([start, end]);
      const answer = { status: response.statusCode, headers: response.headers, text: response.text };
      // Every upload may have been forgotten while the request ran.
      if (uploads.get(upload.id) === undefined) return answer;
      follow(upload, incoming, answer);
      // The server may have died between the store's end and its own; what the store holds counts.
      if (upload.offset === upload.size) await adopt(upload);
      await uploads.flush();
      return answer;
    },

    async recover() {
      for (const upload of uploads.all()) await adopt(upload);
    },

    switched() {
      clearTimeout(awayTimer);
      if (switches.storeSeed !== seed) {
        seed = switches.storeSeed;
        random = seeded(seed);
      }
      if (switches.storePartSize !== partSize) {
        partSize = switches.storePartSize;
        server.close();
        server = openServer();
      }
      const { storeAway, swept } = switches;
      if (swept !== "") sweeping = bucket.sweep(swept);
      standIn.setAway(storeAway !== false);
      if (typeof storeAway !== "number") return;
      awayTimer = setTimeout(() => {
        switches.storeAway = false;
        standIn.setAway(false);
      }, storeAway);
    },

    async reset() {
      server.close();
      server = openServer();
      random = seeded(seed);
      await bucket.clear();
    },

    async close() {
      clearTimeout(awayTimer);
      server.close();
      await standIn.close();
      process.off("unhandledRejection", surviveFailure).off("rejectionHandled", ignore);
    },
  };
}

/** What stands before an upload's id in its address and in the store. */
const PREFIX = "directUpload/";
