/** The local video service: the interface document made runnable, on two origins, with real files on disk. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type Account, demoAccount, readUploadToken } from "./accounts.ts";
import { type Bindings, createApi } from "./api.ts";
import { type AssetEntry, setPhase } from "./assets.ts";
import { createChanges } from "./changes.ts";
import { createDelivery } from "./delivery.ts";
import { createDemo } from "./demo.ts";
import { openHost } from "./host.ts";
import { createPages } from "./pages.ts";
import type { UploadEntry } from "./part-store.ts";
import { createProcessing } from "./processing.ts";
import { createRequestLog } from "./requests.ts";
import { openShelf } from "./shelf.ts";
import { openStore, type StoreName } from "./stores.ts";
import { type Stream, seedStreams } from "./streams.ts";
import { defaultSwitches, parseSwitches, type Switches } from "./switches.ts";
import { createUploadHost } from "./upload-host.ts";

export interface ServiceOptions {
  /** Where files and records are kept, over restarts. */
  directory: string;
  /** 0 is any free one. @default 0 */
  apiPort?: number;
  /** 0 is any free one. @default 0 */
  uploadPort?: number;
  /** The origin that locations name, where something stands in front of the upload host. @default its own */
  advertisedUploadUrl?: string;
  /** Besides the account "demo" with the token "demo-token". */
  accounts?: Account[];
  switches?: Partial<Switches>;
  /** Where resumable uploads are kept. @default "files" */
  store?: StoreName;
  /** Stands in every secret the service hands out, so that a test can search for leaks. @default "" */
  secretMarker?: string;
  /** Where the browser that opens the start page has Upcut connected already: a video of the disk to try it with. */
  connected?: { video: string };
}

export type Service = Awaited<ReturnType<typeof startService>>;

export async function startService(options: ServiceOptions) {
  const directory = resolve(options.directory);
  const files = join(directory, "files");
  const playlists = join(directory, "playlists");
  await mkdir(files, { recursive: true });
  await mkdir(playlists, { recursive: true });
  const secret = await readSecret(join(directory, "secret"));
  const changes = createChanges();
  const assets = await openShelf<AssetEntry>(join(directory, "assets"), changes.note);
  const uploads = await openShelf<UploadEntry>(join(directory, "uploads"), changes.note);
  const streams = await openShelf<Stream>(join(directory, "streams"), changes.note);
  const accounts = [demoAccount, ...(options.accounts ?? [])];
  const switches: Switches = { ...defaultSwitches(), ...parseSwitches(options.switches ?? {}) };
  const log = createRequestLog(changes.note);
  seedStreams(streams, accounts);
  await streams.flush();

  let baseUrl = "";
  let uploadUrl = "";
  const addresses = { baseUrl: () => baseUrl, uploadUrl: () => options.advertisedUploadUrl ?? uploadUrl };
  const pathOf = (assetId: string) => join(files, assetId);
  const playlistDirectory = (playbackId: string) => join(playlists, playbackId);
  const processing = createProcessing({ assets, switches, pathOf, playlistDirectory });

  async function finish(entry: AssetEntry, size: number): Promise<void> {
    // A reset has forgotten it while its bytes came.
    if (assets.get(entry.asset.id) !== entry) return rm(pathOf(entry.asset.id), { force: true });
    if (entry.asset.size !== undefined) return;
    entry.transfer ??= "tus";
    entry.asset.size = size;
    setPhase(entry, "processing");
    assets.put(entry.asset.id, entry);
    await assets.flush();
    processing.add(entry);
  }

  const store = await openStore(options.store ?? "files", {
    directory,
    assets,
    uploads,
    switches,
    pathOf,
    finish,
  });
  store.switched();

  const uploadHandler = createUploadHost({
    switches,
    store,
    pathOf,
    finish,
    findToken: (token) => assets.get(readUploadToken(secret, token) ?? ""),
    findUpload(uploadId) {
      const upload = uploads.get(uploadId);
      return upload && assets.get(upload.assetId);
    },
    isToken: (token) => accounts.some((account) => account.token === token),
    async terminate(entry) {
      entry.terminated = true;
      setPhase(entry, "failed", "The upload was ended before it was complete");
      assets.put(entry.asset.id, entry);
      await assets.flush();
    },
  });

  const api = createApi({
    accounts,
    assets,
    streams,
    switches,
    secret,
    secretMarker: options.secretMarker ?? "",
    ...addresses,
  });
  const app = new Hono<Bindings>();
  async function reset(): Promise<void> {
    const forgotten = assets.all();
    for (const shelf of [assets, uploads, streams]) shelf.clear();
    for (const { asset } of forgotten) {
      await rm(pathOf(asset.id), { force: true });
      // The asset's playlist may still be being written.
      await rm(playlistDirectory(asset.playbackId), { recursive: true, force: true, maxRetries: 5 });
    }
    await store.reset();
    seedStreams(streams, accounts);
    await Promise.all([assets, uploads, streams].map((shelf) => shelf.flush()));
  }
  app.route(
    "/_demo",
    createDemo({
      assets,
      uploads,
      streams,
      switches,
      log,
      changes,
      reset,
      switched: store.switched,
      account: demoAccount,
      connected: options.connected,
      ...addresses,
    }),
  );
  app.route("/", createPages());
  app.route("/", api);
  app.notFound((c) => c.html("<!doctype html><title>404</title><h1>404 Not Found</h1>\n", 404));
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const deliver = createDelivery({ assets, pathOf, playlistDirectory });

  const apiHost = await openHost({
    host: "api",
    port: options.apiPort ?? 0,
    switches,
    log,
    isPublic: (path) => path !== "/" && !path.startsWith("/_demo/") && !path.startsWith("/page/"),
    async handle(exchange) {
      if (!(await deliver(exchange))) await listener(exchange.incoming, exchange.outgoing);
    },
  });
  baseUrl = apiHost.url;
  const uploadHost = await openHost({
    host: "upload",
    port: options.uploadPort ?? 0,
    switches,
    log,
    isPublic: () => true,
    handle: uploadHandler,
  }).catch(async (error: unknown) => {
    await apiHost.close();
    await store.close();
    throw error;
  });
  uploadUrl = uploadHost.url;

  // What the last run was killed in the middle of.
  await store.recover();
  for (const entry of assets.all()) if (entry.asset.status.phase === "processing") processing.add(entry);

  return {
    baseUrl,
    uploadUrl,
    startPage: `${baseUrl}/`,
    accounts: accounts.map(({ name, token }) => ({ name, token })),
    /** The ids of the first account's streams. */
    streams: streams.all().flatMap(({ id, account }) => (account === demoAccount.name ? [id] : [])),
    async close() {
      await Promise.all([apiHost.close(), uploadHost.close()]);
      await store.close();
      await processing.close();
      await Promise.all([assets, uploads, streams].map((shelf) => shelf.flush()));
    },
  };
}

/** Signs upload tokens; kept, so that a location outlives a restart. */
async function readSecret(path: string): Promise<string> {
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString("hex");
  await writeFile(path, secret, { mode: 0o600 });
  return secret;
}
