/** Uploads one file with core by a plan; prints what it took. */
import process from "node:process";

const plan = JSON.parse(process.argv[2]);
// Node gets what npm installs, Bun and Deno the sources.
const module = (name) => import(`../../../${plan.built ? `dist/${name}.js` : `core/${name}.ts`}`);
const { createClient, upload } = await module("mod");
const { openFile } = await module("file");

const began = performance.now();
const requester =
  plan.location === undefined
    ? createClient({ baseUrl: plan.baseUrl, token: plan.token })
    : { scope: "bench", requestUpload: async () => plan.location };
const results = await Promise.all(
  plan.paths.map(async (path) =>
    upload(requester, await openFile(path), { method: plan.method, fresh: true, filename: "film.mp4" }),
  ),
);
console.log(
  JSON.stringify({ milliseconds: performance.now() - began, ids: results.map(({ asset }) => asset.id) }),
);
