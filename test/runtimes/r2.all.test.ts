/** Objects of an R2 bucket as sources: the bucket of a real workerd, read from Node. */
import { useOpened } from "../support/use-opened.ts";
import { startEdge } from "./edge/miniflare.ts";
import { type Bucket, testR2 } from "./edge/r2-cases.ts";

const script = "export default { fetch: () => new Response() };";
const edge = useOpened(() => startEdge({ name: "bucket", script, r2Buckets: ["BUCKET"] }));

testR2(async () => (await edge.miniflare().getR2Bucket("BUCKET")) as unknown as Bucket);
