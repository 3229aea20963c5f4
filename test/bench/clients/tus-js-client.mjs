/** Uploads one file with tus-js-client and its defaults by a plan; prints what it took. */
import { createReadStream } from "node:fs";
import process from "node:process";
import { Upload } from "tus-js-client";

const plan = JSON.parse(process.argv[2]);
const began = performance.now();
await new Promise((resolve, reject) => {
  new Upload(createReadStream(plan.from[0].path), {
    endpoint: plan.location.tusEndpoint,
    metadata: { filename: "film.mp4", filetype: "video/mp4" },
    ...plan.options,
    onSuccess: resolve,
    onError: reject,
  }).start();
});
console.log(JSON.stringify({ milliseconds: performance.now() - began, ids: [plan.location.asset.id] }));
