/** The link of a video that was uploaded before, for who gives it again. */
import { signal } from "@preact/signals";
import { type HistoryEntry, readHistory } from "../shared/history-store.ts";
import type { Job } from "../shared/job.ts";
import { linkOfEntry } from "./links.ts";
import { playbackPage } from "./page-settings.ts";

const entries = signal<readonly HistoryEntry[]>([]);
let isRead = false;

/** Where the video of a draft can be watched already; read when it is asked for the first time. */
export function earlierLink({ state, uploadedBefore }: Job): string | undefined {
  if (state !== "draft" || uploadedBefore === undefined) return undefined;
  if (!isRead) void read();
  const entry = entries.value.find(({ endedAt }) => endedAt === uploadedBefore);
  return entry && linkOfEntry(entry, playbackPage.value);
}

async function read(): Promise<void> {
  isRead = true;
  entries.value = await readHistory().catch(() => []);
}
