/**
 * Videos of a bucket, uploaded at the edge. A queue takes keys in, from a list or from the bucket's own notifications; each key
 * becomes one Workflow, whose id is made of it, so that adding it again adds nothing.
 * README.md shows how it is called.
 */
import type { Bindings, Message } from "./bindings.ts";

export { JournalObject } from "../../edge.ts";
export { VideoWorkflow } from "./video-workflow.ts";

/** Messages that a queue takes at once. */
const BATCH = 100;

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    if (!(await isAllowed(request, env.INTAKE_KEY))) return new Response("Not signed in\n", { status: 401 });
    const key = new URL(request.url).searchParams.get("key") ?? "";
    if (request.method === "GET") return await tell(env, key);
    if (request.method === "PUT") return await beginAgain(env, key);
    if (request.method !== "POST") return new Response("Only GET, POST and PUT\n", { status: 405 });
    const keys = (await request.text()).split("\n").map((line) => line.trim());
    const bodies = keys.filter((key) => key !== "").map((key) => ({ body: { key } }));
    for (let at = 0; at < bodies.length; at += BATCH)
      await env.INTAKE.sendBatch(bodies.slice(at, at + BATCH));
    return Response.json({ added: bodies.length });
  },

  /** Takes in; all else is the Workflow's. */
  async queue({ messages }: { messages: readonly Message[] }, env: Bindings): Promise<void> {
    for (const message of messages) {
      const key = message.body.key ?? message.body.object?.key;
      // A message without a key is none for this worker.
      if (key === undefined || (await begin(env, key))) message.ack();
      else message.retry();
    }
  },
};

/** Begins the Workflow of a key, unless there is one. */
async function begin({ VIDEOS }: Bindings, key: string): Promise<boolean> {
  const id = await idOf(key);
  try {
    await VIDEOS.create({ id, params: { key } });
    return true;
  } catch {
    return (await VIDEOS.get(id).catch(() => undefined)) !== undefined;
  }
}

async function tell({ VIDEOS }: Bindings, key: string): Promise<Response> {
  const instance = await VIDEOS.get(await idOf(key)).catch(() => undefined);
  if (instance === undefined) return new Response("No such video\n", { status: 404 });
  const { status, output, error } = await instance.status();
  return Response.json({ status, output, ...(error && { error: error.message }) });
}

/** Begins a video that failed again; one that was uploaded would become another asset. */
async function beginAgain({ VIDEOS }: Bindings, key: string): Promise<Response> {
  const instance = await VIDEOS.get(await idOf(key)).catch(() => undefined);
  if (instance === undefined || (await instance.status()).status !== "errored")
    return new Response("No such video, or it has not failed\n", { status: 409 });
  await instance.restart();
  return Response.json({ status: "queued" });
}

/** Ids of Workflows are short and hold few signs; keys may be anything. */
async function idOf(key: string): Promise<string> {
  return `v-${(await hexDigest(key)).slice(0, 32)}`;
}

/** Compares digests, so that the time it takes tells nothing of the key. */
async function isAllowed(request: Request, key: string): Promise<boolean> {
  if (!key) throw new Error("INTAKE_KEY must be set");
  const given = request.headers.get("authorization") ?? "";
  return (await hexDigest(given)) === (await hexDigest(`Bearer ${key}`));
}

async function hexDigest(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
