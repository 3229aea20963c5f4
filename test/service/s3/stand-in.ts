/**
 * An S3 stand-in on a port of its own: the calls that the tus stores make, answered late and not always, as those of
 * a store across a network are.
 */
import { createWriteStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { closeServer, openServer } from "../../support/hosts/open-server.ts";
import { type Bucket, S3Error } from "./bucket.ts";
import { type CallName, nameOf } from "./calls.ts";
import { readKeys, readWantedParts, writeXml } from "./xml.ts";

interface StandInOptions {
  bucket: Bucket;
  /** Milliseconds that the next call takes. */
  latency(): number;
  /** Whether a call is cut off instead of carried out. */
  cuts(name: CallName, part: string | null): boolean;
}

interface Call {
  key: string;
  query: URLSearchParams;
  metadata: Record<string, string>;
  /** The path of what a PUT carried, the text of what another call did. */
  body: string;
}

interface Reply {
  status?: number;
  headers?: Record<string, string | number>;
  body?: Buffer | string;
}

const MOST_PARTS = 1000;

/** The configuration by which a client of the AWS SDK reaches a stand-in. */
export function clientConfigOf({ url }: { url: string }) {
  return {
    bucket: "uploads",
    region: "us-east-1",
    endpoint: url,
    forcePathStyle: true,
    credentials: { accessKeyId: "demo", secretAccessKey: "demo" },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  } as const;
}

export async function openStandIn({ bucket, latency, cuts }: StandInOptions) {
  let away = false;
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on("connection", (socket) => {
    if (away) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", headers } = incoming;
    const { pathname, searchParams: query } = new URL(incoming.url ?? "", "http://store");
    // The first segment is the bucket, of which there is one.
    const key = decodeURIComponent(pathname.split("/").slice(2).join("/"));
    const received = method === "PUT" ? bucket.receivingPath() : undefined;
    try {
      let body = received ?? "";
      if (received !== undefined) await pipeline(incoming, createWriteStream(received));
      else body = await text(incoming);
      const call = { key, query, metadata: readMetadata(headers), body };
      const name = nameOf(method, key, query);
      const half = latency() / 2;
      await delay(half);
      if (name !== undefined && cuts(name, query.get("partNumber")))
        return void incoming.socket.resetAndDestroy();
      // A call that has arrived is carried out, also when nobody waits for its answer any more.
      const reply = await carryOut(name, call).catch(refuse);
      await delay(half);
      send(outgoing, reply);
    } finally {
      if (received !== undefined) await rm(received, { force: true });
    }
  }

  async function carryOut(name: CallName | undefined, { key, query, metadata, body }: Call): Promise<Reply> {
    const uploadId = query.get("uploadId") ?? "";
    switch (name) {
      case "CreateMultipartUpload":
        return xml("InitiateMultipartUploadResult", {
          Key: key,
          UploadId: await bucket.createUpload(key, metadata),
        });
      case "UploadPart":
        return tagged(await bucket.putPart(uploadId, Number(query.get("partNumber")), body));
      case "ListParts":
        return listParts(key, uploadId, query);
      case "CompleteMultipartUpload": {
        const etag = await bucket.complete(uploadId, readWantedParts(body));
        return xml("CompleteMultipartUploadResult", { Key: key, ETag: `"${etag}"` });
      }
      case "AbortMultipartUpload":
        await bucket.abort(uploadId);
        return { status: 204 };
      case "PutObject":
        return tagged(await bucket.put(key, body, metadata));
      case "GetObject":
      case "HeadObject":
        return getObject(key, name === "GetObject");
      case "DeleteObject":
        await bucket.delete(key);
        return { status: 204 };
      case "DeleteObjects": {
        const keys = readKeys(body);
        for (const each of keys) await bucket.delete(each);
        return xml("DeleteResult", { Deleted: keys.map((Key) => ({ Key })) });
      }
      default:
        throw new S3Error(
          501,
          "NotImplemented",
          "A header you provided implies functionality that is not here",
        );
    }
  }

  async function listParts(key: string, uploadId: string, query: URLSearchParams): Promise<Reply> {
    const marker = Number(query.get("part-number-marker") ?? 0);
    const after = (await bucket.listParts(uploadId)).filter(({ number }) => number > marker);
    const listed = after.slice(0, Math.min(MOST_PARTS, Number(query.get("max-parts") ?? MOST_PARTS)));
    return xml("ListPartsResult", {
      Key: key,
      UploadId: uploadId,
      PartNumberMarker: marker,
      // The last one of the list, whether it is cut short or not, and 0 for an empty one: so S3 does it.
      NextPartNumberMarker: listed.at(-1)?.number ?? 0,
      IsTruncated: listed.length < after.length,
      Part: listed.map(({ number, size, etag }) => ({ PartNumber: number, Size: size, ETag: `"${etag}"` })),
    });
  }

  async function getObject(key: string, withBody: boolean): Promise<Reply> {
    const object = await bucket.get(key);
    if (object === undefined) throw new S3Error(404, "NoSuchKey", "The specified key does not exist.");
    const headers: Record<string, string | number> = {
      etag: `"${object.etag}"`,
      "content-length": object.size,
    };
    for (const [name, value] of Object.entries(object.metadata)) headers[`x-amz-meta-${name}`] = value;
    return withBody ? { headers, body: await readFile(object.path) } : { headers };
  }

  return {
    url: `http://127.0.0.1:${await openServer(server)}`,
    /** While it is away every connection is reset; those that are open are when it goes. */
    setAway(now: boolean) {
      if (now && !away) for (const socket of sockets) socket.resetAndDestroy();
      away = now;
    },
    close: () => closeServer(server),
  };
}

function tagged(etag: string): Reply {
  return { headers: { etag: `"${etag}"` } };
}

function xml(...document: Parameters<typeof writeXml>): Reply {
  return { headers: { "content-type": "application/xml" }, body: writeXml(...document) };
}

function refuse(error: unknown): Reply {
  if (!(error instanceof S3Error)) throw error;
  return { ...xml("Error", { Code: error.code, Message: error.message }), status: error.status };
}

function send(outgoing: ServerResponse, { status = 200, headers = {}, body = "" }: Reply): void {
  outgoing.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  outgoing.end(outgoing.req.method === "HEAD" ? undefined : body);
}

function readMetadata(headers: IncomingMessage["headers"]): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  return Object.fromEntries(named.map(([name, value]) => [name.slice("x-amz-meta-".length), String(value)]));
}
