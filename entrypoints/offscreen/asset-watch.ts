/**
 * Follows what the service makes of uploaded videos, where it can be asked, and compares what it stores with what was sent:
 * the background asks, which has the token.
 */

import { algorithmName, ConnectionError, compareStored, digestOfBlob } from "../../core/extension.ts";
import { type Asset, errorFromRecord, isUpcutError, watchAsset } from "../../core/mod.ts";
import { isFault } from "../shared/fault.ts";
import {
  type Ends,
  isProcessed,
  type Job,
  LONGEST_FOLLOWED,
  type Processing,
  withEnd,
} from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { OpenJob } from "./job-source.ts";
import type { SettingsCopy } from "./settings-copy.ts";

/** Milliseconds in which ends are gathered while others are still followed. */
const ENDED_INTERVAL = 10_000;

/** The one that the interface document shows. */
const ALGORITHM = "sha256";

export interface AssetWatch {
  /** Follows all that can be followed now, and nothing else. @param again also what was given up for an error */
  refresh(again?: boolean): Promise<void>;
  /** Follows an upload that has just ended, too, and reads its file once more, to compare it. */
  add(job: OpenJob): Promise<void>;
}

export function createAssetWatch(
  list: Pick<JobList, "get" | "all" | "apply">,
  settings: Pick<SettingsCopy, "read">,
): AssetWatch {
  const running = new Map<string, AbortController>();
  const digests = new Map<string, Promise<string | undefined>>();
  /** For one account at a time: its requests have one rhythm. */
  let account = { address: "", client: clientOf("") };
  let ended: Ends | undefined;
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let wasAtWork = false;

  async function readAccount(): Promise<(job: Job | undefined) => boolean> {
    const { address, paths } = await settings.read();
    if (account.address !== address) account = { address, client: clientOf(address) };
    return (job) => paths.asset !== "" && job?.address === address;
  }

  async function refresh(again = false): Promise<void> {
    const isOfAccount = await readAccount();
    for (const [id, stopper] of running) if (!isOfAccount(list.get(id))) stopper.abort();
    for (const job of list.all())
      if (isOfAccount(job) && !running.has(job.id) && isOpen(job, again)) void follow(job);
  }

  async function add({ id, source }: OpenJob): Promise<void> {
    const isOfAccount = await readAccount();
    const job = list.get(id);
    if (job !== undefined && isOfAccount(job) && !running.has(id) && isOpen(job)) void follow(job);
    if (!running.has(id) || source.blob === undefined) return;
    // At once: once it is another file, Firefox reads that one. One that can't be read says nothing of what is stored.
    const digest = digestOfBlob(source.blob, ALGORITHM, openSha256).catch(() => undefined);
    digests.set(id, digest);
  }

  async function follow(job: Job): Promise<void> {
    const { client } = account;
    const stopper = new AbortController();
    const { signal } = stopper;
    running.set(job.id, stopper);
    report();
    const since = job.processing?.since ?? Date.now();
    const { error: _, ...known }: Processing = { ...job.processing, since };
    let compared: Pick<Processing, "stage" | "same"> = known.same === undefined ? {} : { same: known.same };
    try {
      await list.apply(job.id, { type: "processed", processing: known });
      // A clock that was set back since would make it longer than any timer.
      const timeout = Math.min(LONGEST_FOLLOWED, since + LONGEST_FOLLOWED - Date.now());
      for await (const change of watchAsset(client, job.asset?.id ?? "", { signal, timeout })) {
        const processing = { ...processingOf(change, since), ...compared };
        const { status: _, size: __, hash: ___, ...links } = change.asset;
        await list.apply(job.id, { type: "processed", processing, links });
        if (compared.same !== "content") compared = await compare(job, processing, change.asset);
        const outcome = { ...processing, ...compared };
        await list.apply(job.id, { type: "processed", processing: outcome });
        if (!isProcessed({ processing: outcome })) continue;
        noteEnd(job, outcome);
        break;
      }
    } catch (error) {
      const processing = list.get(job.id)?.processing ?? known;
      if (isUpcutError(error))
        await list.apply(job.id, {
          type: "processed",
          processing: { ...processing, error: error.toJSON() },
        });
    } finally {
      running.delete(job.id);
      digests.delete(job.id);
      report();
    }
  }

  async function compare(
    { id, source }: Job,
    { stage }: Processing,
    asset: Asset,
  ): Promise<Pick<Processing, "stage" | "same">> {
    const digest = async (algorithm: string) =>
      algorithmName(algorithm) === ALGORITHM ? await digests.get(id) : undefined;
    if (stage === "failed" || source.size === undefined) return {};
    try {
      const same = await compareStored(asset, { size: source.size, digest, secrets: [] }, stage === "ready");
      return same === undefined ? {} : { same: same === "size" ? same : "content" };
    } catch (error) {
      if (!isUpcutError(error) || error.code !== "content-differs") throw error;
      return { stage: "differs" };
    }
  }

  function noteEnd(job: Job, { stage }: Processing): void {
    ended = withEnd(ended, job, stage === "ready");
    flushing ??= setTimeout(flush, ENDED_INTERVAL);
  }

  function report(): void {
    const isAtWork = running.size > 0;
    if (isAtWork === wasAtWork) return;
    wasAtWork = isAtWork;
    flush();
  }

  function flush(): void {
    clearTimeout(flushing);
    flushing = undefined;
    const told = ended;
    ended = undefined;
    callBackground("assets-followed", { isAtWork: running.size > 0, ...(told && { ended: told }) }).catch(
      () => {},
    );
  }

  return { refresh, add };
}

/** Loaded with the first video that is compared. */
const openSha256 = async () => await (await import("hash-wasm")).createSHA256();

function isOpen({ state, asset, processing }: Job, again = false): boolean {
  if (state !== "done" || asset === undefined) return false;
  if (processing === undefined) return true;
  const isGivenUp = processing.error !== undefined && !again;
  return !isProcessed({ processing }) && !isGivenUp && Date.now() < processing.since + LONGEST_FOLLOWED;
}

type Change = NonNullable<Awaited<ReturnType<ReturnType<typeof watchAsset>["next"]>>["value"]>;

function processingOf({ asset, phase, progress }: Change, since: number): Processing {
  const reason = asset.status?.errorMessage;
  return {
    since,
    stage: phase === "ready" || phase === "failed" ? phase : "working",
    ...(progress !== undefined && { progress }),
    ...(phase === "failed" && reason && { reason }),
  };
}

function clientOf(address: string): Parameters<typeof watchAsset>[0] {
  return {
    async getAsset(id: string): Promise<{ asset: Asset; mismatches: [] }> {
      const response = await callBackground("read-asset", { address, id }).catch(() => undefined);
      if (response === null) throw new Error("another account is set now");
      if (response !== undefined && "asset" in response) return { asset: response.asset, mismatches: [] };
      if (response === undefined || isFault(response.error))
        throw new ConnectionError("unanswered", "Cannot read the asset: the extension was stopped before", {
          retryable: true,
        });
      throw errorFromRecord(response.error);
    },
  };
}
