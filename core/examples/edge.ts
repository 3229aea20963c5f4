/**
 * A gateway at the edge: it hands out one-time upload locations, so that a browser never sees the account's token.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> GATEWAY_KEY=<a key for your page> \
 *   GATEWAY_ORIGIN=https://your-page.example deno serve -A core/examples/edge.ts
 *
 * In the browser, `upload()` takes the gateway in place of a client: `docs/web-page.md` shows how.
 */
import { createClient, isUpcutError } from "../client.ts";

const NAMES = [
  "UPCUT_URL",
  "UPCUT_TOKEN",
  /** The bearer token of callers. Put your own session check in its place. */
  "GATEWAY_KEY",
  /** The one web origin that may call. */
  "GATEWAY_ORIGIN",
] as const;

type Settings = Record<(typeof NAMES)[number], string>;

const NO_OBJECT = { message: "The body is not a JSON object" };

const { process } = globalThis as { process?: { env?: Partial<Settings> } };
// Edge workers know their settings only when they are called. Others don't start without them.
if (process?.env !== undefined && globalThis.navigator?.userAgent !== "Cloudflare-Workers") readSettings({});

export default {
  /** Edge workers give the settings as the second argument; elsewhere they are in the environment. */
  async fetch(request: Request, bindings?: Partial<Settings>): Promise<Response> {
    let settings: Settings;
    try {
      settings = readSettings(bindings);
    } catch (error) {
      console.error(error);
      return Response.json({ message: "The gateway is not set up" }, { status: 500 });
    }
    const cors = {
      "access-control-allow-origin": settings.GATEWAY_ORIGIN,
      "access-control-allow-headers": "authorization, content-type",
      "access-control-allow-methods": "POST",
      vary: "origin",
    };
    const answer = (status: number, body: unknown) => Response.json(body, { status, headers: cors });

    const origin = request.headers.get("origin");
    if (origin !== null && origin !== settings.GATEWAY_ORIGIN)
      return answer(403, { code: "forbidden", message: "Not from here" });
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    if (request.method !== "POST") return answer(405, { message: "Only POST" });
    if (!(await isAllowed(request, settings.GATEWAY_KEY)))
      return answer(401, { code: "unauthorized", message: "Not signed in" });
    try {
      const body = (await request.json()) as { name?: string } | null;
      if (typeof body !== "object" || body === null) return answer(400, NO_OBJECT);
      const { name } = body;
      const client = createClient({ baseUrl: settings.UPCUT_URL, token: settings.UPCUT_TOKEN });
      // Callers choose the name alone; what else an asset gets is decided here.
      const location = await client.requestUpload(name === undefined ? {} : { name }, {
        signal: request.signal,
      });
      return answer(200, location);
    } catch (error) {
      if (error instanceof SyntaxError) return answer(400, NO_OBJECT);
      if (!isUpcutError(error)) throw error;
      return answer(error.name === "InputError" ? 422 : 502, error);
    }
  },
};

/** @throws where one is missing: without its origin, whoever has the key could call from any page */
function readSettings(bindings: Partial<Settings> | undefined): Settings {
  // Each setting is read by its name, since a runtime may let no others be read.
  const given = NAMES.map((name) => [name, bindings?.[name] ?? process?.env?.[name]]);
  const settings = Object.fromEntries(given) as Partial<Settings>;
  const missing = NAMES.filter((name) => !settings[name]);
  if (missing.length > 0) throw new Error(`Cannot serve: ${missing.join(", ")} must be set`);
  const { GATEWAY_ORIGIN = "" } = settings;
  if (!URL.canParse(GATEWAY_ORIGIN) || new URL(GATEWAY_ORIGIN).origin !== GATEWAY_ORIGIN)
    throw new Error("Cannot serve: GATEWAY_ORIGIN is not an origin, such as https://your-page.example");
  return settings as Settings;
}

/** Compares digests, so that the time it takes tells nothing of the key. */
async function isAllowed(request: Request, key: string): Promise<boolean> {
  const given = await digest(request.headers.get("authorization") ?? "");
  const wanted = await digest(`Bearer ${key}`);
  return given.every((byte, index) => byte === wanted[index]);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
