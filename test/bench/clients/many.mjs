/** Uploads many small videos from memory with core by one call; prints what it took. */
import process from "node:process";

const { baseUrl, token, count, size, concurrency } = JSON.parse(process.argv[2]);
const [{ createClient }, { uploadAll }] = await Promise.all(
  ["mod", "upload-all"].map((name) => import(`../../../dist/${name}.js`)),
);
const client = createClient({ baseUrl, token });

await upload("warm-up", 1, 1);
const began = performance.now();
const ids = await upload("video", count, concurrency);
console.log(JSON.stringify({ milliseconds: performance.now() - began, ids }));

async function upload(name, videos, atATime) {
  const uploaded = [];
  for await (const { result, error } of uploadAll(client, files(name, videos), { concurrency: atATime })) {
    if (error !== undefined) throw error;
    uploaded.push(result.asset.id);
  }
  return uploaded;
}

/** Each of its own content, since the same would be the same upload. */
function* files(name, videos) {
  for (let at = 0; at < videos; at++) {
    const bytes = new Uint8Array(size);
    new TextEncoder().encodeInto(`${name} ${at}`, bytes);
    yield new File([bytes], `${name}-${at}.mp4`, { type: "video/mp4", lastModified: 1 });
  }
}
