/** `/_demo/`: what tests and the start page may see and do, and no client of the interface ever needs. */
import { Hono } from "hono";
import type { Account } from "./accounts.ts";
import type { Bindings } from "./api.ts";
import { type AssetEntry, presentAsset } from "./assets.ts";
import type { Changes } from "./changes.ts";
import { listSamples } from "./delivery.ts";
import type { UploadEntry } from "./part-store.ts";
import type { RequestLog } from "./requests.ts";
import type { Shelf } from "./shelf.ts";
import type { Stream } from "./streams.ts";
import { defaultSwitches, parseSwitches, type Switches } from "./switches.ts";
import { isFromElsewhere, isToOwnPort } from "./visitor.ts";

export interface DemoOptions {
  assets: Shelf<AssetEntry>;
  uploads: Shelf<UploadEntry>;
  streams: Shelf<Stream>;
  switches: Switches;
  log: RequestLog;
  changes: Changes;
  /** The one the start page shows with its token; the others' are not for pages. */
  account: Account;
  connected: { video: string } | undefined;
  baseUrl(): string;
  uploadUrl(): string;
  /** Forgets assets, uploads and their files, and seeds the streams again. */
  reset(): Promise<void>;
  switched(): void;
}

export function createDemo(options: DemoOptions): Hono<Bindings> {
  const { assets, uploads, streams, switches, log } = options;
  const demo = new Hono<Bindings>();

  // No page but the service's own learns or changes anything here.
  demo.use(async (c, next) => {
    const { incoming } = c.env;
    if (!isToOwnPort(incoming)) return c.json({ errors: ["refused for a foreign host"] }, 421);
    if (isFromElsewhere(incoming)) return c.json({ errors: ["refused for a foreign origin"] }, 403);
    // Ids of uploads and the token are among it: a browser's cache is no place for them.
    c.header("cache-control", "no-store");
    return next();
  });

  const showAsset = (entry: AssetEntry) => {
    const { asset, received, terminated } = entry;
    const sha256 = asset.hash?.find(({ algorithm }) => algorithm === "sha256")?.hash ?? null;
    const record = presentAsset(entry, options.baseUrl());
    return { asset: record, sha256, received, terminated };
  };
  demo.get("/assets", (c) => {
    const entries = assets.all().sort((a, b) => a.asset.createdAt - b.asset.createdAt);
    return c.json({ count: entries.length, assets: entries.map(showAsset) });
  });
  demo.get("/assets/:id", (c) => {
    const entry = assets.get(c.req.param("id"));
    return entry ? c.json(showAsset(entry)) : c.json({ errors: ["asset not found"] }, 404);
  });

  const showStream = (stream: Stream) => {
    const live = stream.startedAt !== undefined;
    return { ...stream, live, recording: live };
  };
  demo.get("/streams", (c) => c.json({ streams: streams.all().map(showStream) }));
  demo.post("/streams/:id/start", async (c) => {
    const stream = streams.get(c.req.param("id"));
    if (stream === undefined) return c.json({ errors: ["stream not found"] }, 404);
    stream.startedAt ??= Date.now();
    streams.put(stream.id, stream);
    await streams.flush();
    return c.json(showStream(stream));
  });

  demo.get("/uploads", (c) =>
    c.json({
      uploads: uploads.all().map((upload) => {
        const { id, assetId, offset, arrived, size = null, received, ranges, lost, terminated } = upload;
        return { id, assetId, offset, arrived, size, bytesReceived: received, ranges, lost, terminated };
      }),
    }),
  );

  demo.get("/changes/:known", async (c) => c.json(await options.changes.after(Number(c.req.param("known")))));

  demo.get("/requests", (c) => c.json({ requests: log.all() }));

  demo.get("/switches", (c) => c.json(switches));
  demo.put("/switches", async (c) => {
    try {
      Object.assign(switches, parseSwitches(await c.req.json()));
    } catch (error) {
      return c.json({ errors: [error instanceof Error ? error.message : String(error)] }, 400);
    }
    options.switched();
    return c.json(switches);
  });

  demo.post("/reset", async (c) => {
    await options.reset();
    log.clear();
    Object.assign(switches, defaultSwitches());
    options.switched();
    return c.body(null, 204);
  });
  demo.get("/service", async (c) => {
    const { connected, account } = options;
    const { name, token } = account;
    return c.json({
      baseUrl: options.baseUrl(),
      uploadUrl: options.uploadUrl(),
      account: { name, token },
      samples: await listSamples(),
      ...(connected && { connected }),
    });
  });
  return demo;
}
