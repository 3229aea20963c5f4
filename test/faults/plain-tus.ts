/** One upload by tus-js-client with its defaults, for comparison: `plain-tus.ts PLAN`; prints as `client.ts` does. */
import { createReadStream, statSync } from "node:fs";
import process from "node:process";
import { Upload } from "tus-js-client";
import type { ClientPlan } from "./plan.ts";

const { path = "" } = JSON.parse(process.argv[2] ?? "{}") as ClientPlan;
const { UPCUT_URL = "", UPCUT_TOKEN = "" } = process.env;
const answer = await fetch(`${UPCUT_URL}/api/asset/request-upload`, {
  method: "POST",
  headers: { authorization: `Bearer ${UPCUT_TOKEN}`, "content-type": "application/json" },
  body: JSON.stringify({ name: "video.mp4" }),
});
const { tusEndpoint, asset } = (await answer.json()) as { tusEndpoint: string; asset: { id: string } };
const began = Date.now();
const { size } = statSync(path);
const outcome = await new Promise((resolve) => {
  const upload = new Upload(createReadStream(path), {
    endpoint: tusEndpoint,
    uploadSize: size,
    metadata: { filename: "video.mp4", filetype: "video/mp4" },
    onSuccess: () => resolve({ kind: "whole", assetId: asset.id, milliseconds: Date.now() - began }),
    // The error's message holds the upload's address.
    onError: (error) =>
      resolve({ kind: "error", error: { code: "tus", message: error.message.split(",")[0] } }),
  });
  upload.start();
});
console.log(JSON.stringify(outcome));
process.exit(0);
