/** One upload by a plan, in whatever runtime runs this; prints a line per MiB that left, then its outcome as JSON. */
import process from "node:process";
import { fileJournal, openFile } from "../../core/file.ts";
import {
  createClient,
  type ErrorRecord,
  isUpcutError,
  type Journal,
  memoryJournal,
  type Uploadable,
  type UploadOptions,
  upload,
} from "../../core/mod.ts";
import { contentBytes } from "../content.ts";

export interface ClientPlan {
  method: "resumable" | "direct";
  /** A file on disk. */
  path?: string;
  /** A video at an address instead. */
  url?: string;
  /** Generated content instead; it says `announced`, gives `size`, and fails at its end if told to. */
  stream?: { size: number; announced?: number; fails?: boolean };
  /** The journal's folder; else one in memory. */
  journal?: string;
  /** A disk that is full from the given write on. */
  fullAfter?: number;
  /** Milliseconds for the answer to request-upload. @default 5000 */
  timeout?: number;
  options?: Pick<UploadOptions, "retry" | "timeouts" | "fresh">;
}

export type ClientOutcome =
  | {
      kind: "whole";
      assetId: string;
      sent: number;
      resent: number;
      continued: boolean;
      milliseconds: number;
      /** How often it waited, by reason. */
      waits: Record<string, number>;
    }
  | { kind: "error"; error: ErrorRecord }
  | { kind: "hang"; output: string }
  | { kind: "crash"; output: string };

const outcome = await run(JSON.parse(process.argv[2] ?? "{}") as ClientPlan);
console.log(JSON.stringify(outcome));

async function run(plan: ClientPlan): Promise<ClientOutcome> {
  const { UPCUT_URL = "", UPCUT_TOKEN = "" } = process.env;
  const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN, timeout: plan.timeout ?? 5000 });
  const waits: Record<string, number> = {};
  let told = 1;
  let waiting = "";
  try {
    const { path, url, stream, method } = plan;
    let source: Uploadable = generated(stream ?? { size: 0 });
    if (path !== undefined) source = await openFile(path);
    else if (url !== undefined) source = new URL(url);
    const { asset, sent, resent, continued, duration } = await upload(client, source, {
      method,
      ...(stream && { filename: "stream.mp4" }),
      ...(stream?.announced !== undefined && { size: stream.announced }),
      journal: journalOf(plan),
      ...plan.options,
      onProgress(progress) {
        const wait = progress.waiting && `${progress.waiting.attempt} ${progress.waiting.until}`;
        if (progress.waiting && wait !== waiting)
          waits[progress.waiting.reason] = (waits[progress.waiting.reason] ?? 0) + 1;
        waiting = wait ?? "";
        for (; told * 2 ** 20 <= progress.sent; told++) console.log(`at ${told}`);
      },
    });
    return { kind: "whole", assetId: asset.id, sent, resent, continued, milliseconds: duration, waits };
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return { kind: "error", error: error.toJSON() };
  }
}

function journalOf({ journal, fullAfter = Number.POSITIVE_INFINITY }: ClientPlan): Journal {
  const place = journal === undefined ? memoryJournal() : fileJournal(journal);
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

function generated({ size, fails = false }: NonNullable<ClientPlan["stream"]>): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const end = Math.min(size, at + 500_009);
      if (at < end) controller.enqueue(contentBytes(1, at, end));
      else if (fails) controller.error(new Error("the camera was unplugged"));
      else controller.close();
      at = end;
    },
  });
}
