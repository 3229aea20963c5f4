/** Does what a plan says with the client that it names, all of it at once; prints what it took. */
import { createReadStream, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { loop } from "./loop.mjs";

const plan = JSON.parse(process.argv[2]);
// Node gets what npm installs, Bun and Deno the sources.
const load = (name) => import(`../../../${plan.built ? `dist/${name}.js` : `core/${name}.ts`}`);

const pathsIn = (folder) => readdirSync(folder).map((name) => join(folder, name));

const clients = {
  async upcut() {
    const [{ createClient, upload }, { openFile }] = [await load("mod"), await load("file")];
    const open = async ({ path, url, stream }) => {
      if (path !== undefined) return await openFile(path);
      return stream === undefined ? new URL(url) : (await fetch(stream)).body;
    };
    const options = { method: plan.method, resume: false, filename: "video.mp4", ...plan.options };
    return async (sources, location) => {
      const requester =
        location === undefined
          ? createClient({ baseUrl: plan.baseUrl, token: plan.token })
          : { scope: "bench", requestUpload: async () => location };
      const results = sources.map(async (source) => await upload(requester, await open(source), options));
      return (await Promise.all(results)).map(({ asset }) => asset.id);
    };
  },

  /** Core: many small videos by one call, from memory or those of a folder. */
  async many() {
    const [{ createClient, uploadAll }, { openFile }] = [await load("mod"), await load("file")];
    const client = createClient({ baseUrl: plan.baseUrl, token: plan.token });
    // Each of its own content, since the same would be the same upload.
    function* files({ count, size, name }) {
      for (let at = 0; at < count; at++) {
        const bytes = new Uint8Array(size);
        new TextEncoder().encodeInto(`${name} ${at}`, bytes);
        yield new File([bytes], `${name}-${at}.mp4`, { type: "video/mp4", lastModified: 1 });
      }
    }
    return async ([videos]) => {
      const ids = [];
      const { concurrency, folder } = videos;
      const sources =
        folder === undefined
          ? files(videos)
          : pathsIn(folder).map((path) => ({ source: () => openFile(path) }));
      for await (const { result, error } of uploadAll(client, sources, { concurrency })) {
        if (error !== undefined) throw error;
        ids.push(result.asset.id);
      }
      return ids;
    };
  },

  async loop() {
    return async ([{ folder, concurrency }]) => {
      await loop(pathsIn(folder), { ...plan, concurrency }, readFile);
      return [];
    };
  },

  /** Core is loaded, and what comes from an address is dropped: the least that a stream or a video there can take. */
  async reader() {
    await Promise.all([load("mod"), load("file")]);
    return async ([{ url }]) => {
      const reader = (await fetch(url)).body.getReader();
      for (let done = false; !done; ) ({ done } = await reader.read());
      return [];
    };
  },

  async "tus-js-client"() {
    const { Upload } = await import("tus-js-client");
    return ([{ path }], { tusEndpoint, asset }) =>
      new Promise((resolve, reject) => {
        new Upload(createReadStream(path), {
          endpoint: tusEndpoint,
          metadata: { filename: "video.mp4", filetype: "video/mp4" },
          ...plan.options,
          onSuccess: () => resolve([asset.id]),
          onError: reject,
        }).start();
      });
  },
};

const run = await clients[plan.client]();
for (const source of plan.warmUp ?? []) await run([source]);
const began = performance.now();
const ids = await run(plan.from, plan.location);
console.log(JSON.stringify({ milliseconds: performance.now() - began, ids }));
