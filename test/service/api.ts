/** The routes of the base address: request-upload, terminate, and where it is switched on the one that reads an asset. */

import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Account, readBearer, signUploadToken } from "./accounts.ts";
import { type AssetEntry, createAsset, presentAsset } from "./assets.ts";
import { corsHeaders } from "./cors.ts";
import { type CreateRequest, checkCreation } from "./creation.ts";
import { directPath } from "./direct.ts";
import { reshape } from "./reshape.ts";
import type { Shelf } from "./shelf.ts";
import type { Stream } from "./streams.ts";
import type { Switches } from "./switches.ts";
import { tusPath } from "./upload-store.ts";

export type Bindings = { Bindings: HttpBindings };

export interface ApiOptions {
  accounts: Account[];
  assets: Shelf<AssetEntry>;
  streams: Shelf<Stream>;
  switches: Switches;
  secret: string;
  /** Stands in every secret the service hands out. */
  secretMarker: string;
  baseUrl(): string;
  uploadUrl(): string;
}

const LIMIT = 100 * 1024;
const NOT_FOUND = "not found";

export function createApi(options: ApiOptions): Hono<Bindings> {
  const { accounts, assets, streams, switches } = options;
  const routes = new Hono<Bindings>();

  function fail(c: Context, status: ContentfulStatusCode, ...errors: string[]): Response {
    return c.json({ errors: switches.nestedErrors ? [errors] : errors }, status);
  }

  routes.use(async (c, next) => {
    const { incoming } = c.env;
    if (!isAccountPath(c.req.path)) return next();
    const { origin } = incoming.headers;
    if (origin !== undefined && switches.refuseOrigin)
      return fail(c, 403, `credential disallows CORS access from origin ${origin}`);
    const cors = corsHeaders("api", incoming);
    if (incoming.method === "OPTIONS") return c.body(null, 204, cors);
    await next();
    for (const [name, value] of Object.entries(cors)) c.res.headers.set(name, value);
  });

  /** The calling account, or the refusal. */
  function identify(c: Context<Bindings>): Account | Response {
    const token = readBearer(c.env.incoming.headers.authorization);
    if (token === undefined) return fail(c, 401, "no authorization header");
    const account = accounts.find((known) => known.token === token);
    // The service repeats the token, as a real one does: clients must not show this unredacted.
    return account ?? fail(c, 401, `no token ${token} found`);
  }

  const limit = bodyLimit({ maxSize: LIMIT, onError: (c) => fail(c, 413, "request entity too large") });
  routes.post("/api/asset/request-upload", async (c) => {
    const account = identify(c);
    if (account instanceof Response) return account;
    // After that: a body without a length, which Deno sends where there is none, is not read for anybody.
    const tooLong = await limit(c, async () => {});
    if (tooLong !== undefined) return tooLong;
    let body: unknown = {};
    // Without a JSON type a body parser leaves the body alone: to the checks it is empty.
    if (c.req.header("content-type")?.includes("json"))
      try {
        body = await c.req.json();
      } catch {
        return fail(c, 400, "malformed JSON in the request body");
      }
    const errors = checkCreation(body, switches.refuseUnknownFields);
    if (errors.length > 0) return fail(c, 422, ...errors);
    const request = body as CreateRequest;
    if (request.profiles?.length === 0) return fail(c, 400, "profiles must not be empty");

    const entry = createAsset(assets, account, request, options.secretMarker);
    await assets.flush();
    const token = encodeURIComponent(signUploadToken(options.secret, entry.asset.id, options.secretMarker));
    const asset = presentAsset(entry, options.baseUrl());
    if (switches.omitLinks) {
      delete asset.playbackUrl;
      delete asset.downloadUrl;
    }
    const answer = {
      url: `${options.uploadUrl()}${directPath}?token=${token}`,
      tusEndpoint: `${options.uploadUrl()}${tusPath}?token=${token}`,
      asset,
      task: { id: entry.taskId },
    };
    return c.json(reshape(answer, switches.answerShape));
  });

  routes.get("/api/asset/:id", async (c, next) => {
    if (!switches.assetCall) return next();
    const account = identify(c);
    if (account instanceof Response) return account;
    const entry = assets.get(c.req.param("id"));
    if (entry?.account !== account.name) return fail(c, 404, "asset not found");
    return c.json(presentAsset(entry, options.baseUrl()));
  });

  // Read from the raw path: an id is one segment, and may hold what a router would decode or normalise.
  routes.delete("*", async (c, next) => {
    const id = readStreamId(c.env.incoming.url, switches.streamPrefix);
    if (id === undefined) return next();
    const account = identify(c);
    return account instanceof Response ? account : terminate(c, account, id);
  });

  routes.all("/api/*", async (c, next) => {
    if (!switches.saysNotFound) return next();
    const hasToken = readBearer(c.env.incoming.headers.authorization) !== undefined;
    const account = hasToken ? identify(c) : undefined;
    return account instanceof Response ? account : fail(c, 404, NOT_FOUND);
  });

  async function terminate(c: Context<Bindings>, account: Account, id: string): Promise<Response> {
    if (id === "") return fail(c, 400, "id was not provided");
    const stream = streams.get(id);
    if (stream?.account === "") return fail(c, 404, "account not found");
    if (stream === undefined || stream.account !== account.name)
      return fail(c, 404, switches.saysNotFound ? NOT_FOUND : "stream not found");
    delete stream.startedAt;
    streams.put(id, stream);
    await streams.flush();
    return c.body(null, 204);
  }

  return routes;
}

function readStreamId(url: string | undefined, prefix: string): string | undefined {
  const path = url?.split("?", 1)[0] ?? "";
  if (!path.startsWith(`${prefix}/stream/`)) return undefined;
  const segment = /^([^/]*)\/terminate$/.exec(path.slice(`${prefix}/stream/`.length))?.[1];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function isAccountPath(path: string): boolean {
  return path.startsWith("/api/") || /\/stream(\/|$)/.test(path);
}
