/** Uploads with core by a plan, all of it at once; prints what it took. */
import process from "node:process";

const plan = JSON.parse(process.argv[2]);
// Node gets what npm installs, Bun and Deno the sources.
const load = (name) => import(`../../../${plan.built ? `dist/${name}.js` : `core/${name}.ts`}`);
const [{ createClient, upload }, { openFile }] = [await load("mod"), await load("file")];

await uploadAll(plan.warmUp ?? []);
const began = performance.now();
const results = await uploadAll(plan.from);
console.log(
  JSON.stringify({ milliseconds: performance.now() - began, ids: results.map(({ asset }) => asset.id) }),
);

async function uploadAll(all) {
  const requester =
    plan.location === undefined
      ? createClient({ baseUrl: plan.baseUrl, token: plan.token })
      : { scope: "bench", requestUpload: async () => plan.location };
  const options = { method: plan.method, resume: false, filename: "video.mp4", ...plan.options };
  return await Promise.all(all.map(async (from) => upload(requester, await open(from), options)));
}

async function open({ path, url, stream }) {
  if (path !== undefined) return await openFile(path);
  return stream === undefined ? new URL(url) : (await fetch(stream)).body;
}
