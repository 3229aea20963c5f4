/**
 * One Workflow for each video: steps of several parts, each of which is kept, so that the video is resumed after whatever ends
 * one of them.
 */
import { WorkflowEntrypoint, type WorkflowStep } from "cloudflare:workers";
import type { Bindings, Outcome, Video } from "./bindings.ts";
import { clearDoubt, sendParts } from "./upload-step.ts";

/** Times that a step is tried: with doubled pauses from 10 s on, nearly three hours. */
const ATTEMPTS = 10;
/** Requests for an asset without an answer: a service that loses them all would make one asset after another. */
const MOST_DOUBTS = 3;
/** A step ends by itself before; else the next try would find that the former one still has the lease. */
const TIME_LIMIT = "10 minutes";

export class VideoWorkflow extends WorkflowEntrypoint<Bindings, Video> {
  override async run(
    { payload: { key }, instanceId: id }: { payload: Readonly<Video>; instanceId: string },
    step: WorkflowStep,
  ): Promise<Outcome> {
    const video = { env: this.env, key, id };
    const delay = Number(this.env.UPCUT_RETRY ?? 10_000);
    const config = {
      retries: { limit: ATTEMPTS, delay, backoff: "exponential" as const },
      timeout: TIME_LIMIT,
    };
    let doubtful = 0;
    for (let number = 1; ; number++) {
      const reached = await step.do(`send parts ${number}`, config, () => sendParts(video));
      const { acknowledged: size, assetId, failure, isDoubtful } = reached;
      if (failure !== undefined) throw new Error(failure);
      if (assetId !== undefined) return { assetId, size, doubtful };
      if (!isDoubtful) continue;
      doubtful++;
      if (doubtful > MOST_DOUBTS)
        throw new Error("asset-unknown: the service gives no answer, look into the account");
      await step.do(`clear doubt ${number}`, config, () => clearDoubt(video));
    }
  }
}
