/** One upload by a plan, the same in every runtime. */
import {
  createClient,
  type ErrorRecord,
  isUpcutError,
  type Journal,
  type Uploadable,
  type UploadOptions,
  upload,
} from "../../core/mod.ts";
import { contentStream } from "../support/content.ts";
import { collectVerdicts, type Verdict } from "./verdicts.ts";

export interface ClientPlan {
  method: "resumable" | "direct";
  /** A file on disk. */
  path?: string;
  /** A stream of so many bytes instead. */
  stream?: number;
  /** The journal's folder; else one in memory. */
  journal?: string;
  /** Milliseconds after which a claim without a sign of its holder is free. @default as `fileJournal` has it */
  leaseTimeout?: number;
  /** The journal's place takes no entry any more from the given write on, although it had room before. */
  fullAfter?: number;
  /** Bytes beyond which the system lets a client on a disk write no file. */
  largestFile?: number;
  options?: Pick<UploadOptions, "retry" | "timeout" | "resume">;
  /** The many uploads of `verdicts.ts`, in place of the one of all else, by the address of its sweeper. */
  verdicts?: string;
}

export type ClientOutcome =
  | {
      kind: "whole";
      assetId: string;
      sent: number;
      resent: number;
      resumed: boolean;
      milliseconds: number;
    }
  | { kind: "verdicts"; verdicts: Verdict[] }
  | { kind: "error"; error: ErrorRecord }
  | { kind: "hang"; output: string }
  | { kind: "crash"; output: string };

/** What a plan needs of the place it is carried out in. */
export interface Place {
  baseUrl: string;
  token: string;
  open(path: string): Promise<Uploadable>;
  journal: Journal;
  /** Says a line while it goes on. */
  say(line: string): void;
}

/** Uploads by a plan; says a line per MiB that left. */
export async function carryOut(plan: ClientPlan, place: Place): Promise<ClientOutcome> {
  const { baseUrl, token } = place;
  if (plan.verdicts !== undefined)
    return { kind: "verdicts", verdicts: await collectVerdicts(place, plan.verdicts) };
  const client = createClient({ baseUrl, token, timeout: 5000 });
  let told = 1;
  try {
    const { path, stream, method } = plan;
    const source = path === undefined ? contentStream(stream ?? 0, 1, 500_009) : await place.open(path);
    const { asset, sent, resent, resumed, duration } = await upload(client, source, {
      method,
      ...(stream !== undefined && { filename: "stream.mp4", size: stream }),
      journal: filling(place.journal, plan.fullAfter),
      ...plan.options,
      onProgress(progress) {
        for (; told * 2 ** 20 <= progress.sent; told++) place.say(`at ${told}`);
      },
    });
    return { kind: "whole", assetId: asset.id, sent, resent, resumed, milliseconds: duration };
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return { kind: "error", error: error.toJSON() };
  }
}

/** A journal whose place is full from the given write on. */
export function filling(place: Journal, fullAfter = Number.POSITIVE_INFINITY): Journal {
  let writes = 0;
  return {
    ...place,
    set: async (key, entry) => {
      if (writes++ >= fullAfter)
        throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      await place.set(key, entry);
    },
  };
}
