/** Uploads one file with tus-js-client and its defaults by a plan; prints what it took. */
import { createReadStream } from "node:fs";
import process from "node:process";
import { Upload } from "tus-js-client";

const plan = JSON.parse(process.argv[2]);

for (const from of plan.warmUp ?? []) await upload(from);
const began = performance.now();
const [{ path }] = plan.from;
await upload({ path, location: plan.location });
console.log(JSON.stringify({ milliseconds: performance.now() - began, ids: [plan.location.asset.id] }));

function upload({ path, location }) {
  return new Promise((resolve, reject) => {
    new Upload(createReadStream(path), {
      endpoint: location.tusEndpoint,
      metadata: { filename: "video.mp4", filetype: "video/mp4" },
      ...plan.options,
      onSuccess: resolve,
      onError: reject,
    }).start();
  });
}
