/** Objects of an R2 bucket as sources: the bucket of a real workerd, read from Node. */
import { afterAll } from "vitest";
import { type Edge, startEdge } from "./edge/miniflare.ts";
import { type Bucket, testR2 } from "./edge/r2-cases.ts";

let edge: Edge;
afterAll(() => edge?.stop());

testR2(async () => {
  const script = "export default { fetch: () => new Response() };";
  edge = await startEdge({ name: "bucket", script, r2Buckets: ["BUCKET"] });
  return (await edge.miniflare().getR2Bucket("BUCKET")) as unknown as Bucket;
});
