/** The worker of the example, with a bucket that breaks off as the test wants, and counts what is read of it. */
import type { Bindings } from "../../../core/examples/edge/bindings.ts";
import { VideoWorkflow as Workflow } from "../../../core/examples/edge/video-workflow.ts";
import worker from "../../../core/examples/edge/worker.ts";
import type { R2BucketLike } from "../../../core/source/r2.ts";

export { JournalObject } from "../../../core/journals/journal-object.ts";

/** What the worker has counted since it was started. */
export interface EdgeCounts {
  /** Reads that were broken off on purpose. */
  broken: number;
  /** Most bytes that were read of one object at once: one range. */
  largestRange: number;
}

const counts: EdgeCounts = { broken: 0, largestRange: 0 };
/** Reads in a row that fail, by key: more than a source tries again by itself. */
const failures = new Map<string, number>();
const FAILURES = 7;

/** A bucket whose objects of a name with "torn" break off once, beyond their first parts. */
function tearing(bucket: R2BucketLike): R2BucketLike {
  return {
    head: (key) => bucket.head(key),
    async get(key, options) {
      const { offset, length } = options.range;
      counts.largestRange = Math.max(counts.largestRange, length);
      const failed = failures.get(key) ?? 0;
      if (key.includes("torn") && offset > 0 && failed < FAILURES) {
        failures.set(key, failed + 1);
        counts.broken++;
        throw new Error("We encountered an internal error. Please try again. (10001)");
      }
      return await bucket.get(key, options);
    },
  };
}

export class VideoWorkflow extends Workflow {
  constructor(context: unknown, env: Bindings) {
    super(context, { ...env, BUCKET: tearing(env.BUCKET) });
  }
}

export default {
  ...worker,
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/counts") return Response.json(counts);
    if (pathname.startsWith("/restart/")) {
      // miniflare forgets what ran when it was killed; the real platform goes on by itself.
      await (await env.VIDEOS.get(pathname.slice("/restart/".length))).restart();
      return Response.json({});
    }
    return await worker.fetch(request, env);
  },
};
