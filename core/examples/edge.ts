/**
 * A gateway at the edge: it hands out one-time upload locations, so that a browser never sees the account's token.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> GATEWAY_KEY=<a key for your page> \
 *   GATEWAY_ORIGIN=https://your-page.example deno serve -A core/examples/edge.ts
 *
 * In the browser, `upload()` takes the gateway in place of a client:
 *
 *   const gateway = {
 *     scope: "gateway",
 *     async requestUpload(request, { signal }) {
 *       const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
 *       const response = await fetch(address, { method: "POST", headers, body: JSON.stringify(request), signal });
 *       if (!response.ok) throw errorFromRecord(await response.json());
 *       return await response.json();
 *     },
 *   };
 *   await upload(gateway, file, { name: "Launch video" });
 */
import { createClient, isUpcutError } from "../client.ts";

interface Settings {
  UPCUT_URL?: string;
  UPCUT_TOKEN?: string;
  /** What callers must send as bearer. Put your own session check in its place. */
  GATEWAY_KEY?: string;
  /** The one web origin that may call. */
  GATEWAY_ORIGIN?: string;
}

const NO_OBJECT = { message: "The body is not a JSON object" };

export default {
  /** Edge workers give the settings as the second argument; elsewhere they are in the environment. */
  async fetch(request: Request, bindings?: unknown): Promise<Response> {
    const environment = (globalThis as { process?: { env?: Settings } }).process?.env;
    const settings: Settings = { ...environment, ...(bindings as Settings) };
    const cors = {
      "access-control-allow-origin": settings.GATEWAY_ORIGIN ?? "null",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-allow-methods": "POST",
      vary: "origin",
    };
    const answer = (status: number, body: unknown) => Response.json(body, { status, headers: cors });

    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    if (request.method !== "POST") return answer(405, { message: "Only POST" });
    if (!(await isAllowed(request, settings.GATEWAY_KEY))) return answer(401, { message: "Not signed in" });
    try {
      const body = (await request.json()) as { name?: string } | null;
      if (typeof body !== "object" || body === null) return answer(400, NO_OBJECT);
      const { name } = body;
      const client = createClient({ baseUrl: settings.UPCUT_URL ?? "", token: settings.UPCUT_TOKEN ?? "" });
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

/** Compares digests, so that the time it takes tells nothing of the key. */
async function isAllowed(request: Request, key: string | undefined): Promise<boolean> {
  if (key === undefined || key === "") return false;
  const [given, wanted] = await Promise.all([
    digest(request.headers.get("authorization") ?? ""),
    digest(`Bearer ${key}`),
  ]);
  return given.every((byte, index) => byte === wanted[index]);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
