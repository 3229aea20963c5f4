/** The uploads that the account which is set now is offered to, as long as this page is open. */
import { computed, signal } from "@preact/signals";
import { isEnded, type Job, withoutSecrets } from "../shared/job.ts";
import { readList } from "../shared/list-store.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { isOffered } from "../shared/next-steps.ts";
import { type OffscreenChannel, openOffscreenChannel } from "../shared/offscreen-channel.ts";

const jobs = signal<ReadonlyMap<string, Job>>(new Map());
export const offeredUploads = computed(() => [...jobs.value.values()].filter(isOffered));

let channel: OffscreenChannel | undefined;

export function commandUploads(command: OffscreenCommand): void {
  channel?.send(command);
}

/** Follows the list from now on. The document that changes it is made only where something waits in it. */
export async function followOffered(): Promise<void> {
  channel ??= openOffscreenChannel((event) => {
    if (event.type === "changed") show(event.jobs);
    if (event.type === "removed") remove(event.jobIds);
  });
  const stored = await readList().catch(() => []);
  show(stored.filter(({ id }) => !jobs.peek().has(id)).map(withoutSecrets));
  if (!stored.every(isEnded)) await channel.waitUntilReady();
}

function show(news: readonly Job[]): void {
  jobs.value = new Map([...jobs.peek(), ...news.map((job) => [job.id, job] as const)]);
}

function remove(ids: readonly string[]): void {
  jobs.value = new Map([...jobs.peek()].filter(([id]) => !ids.includes(id)));
}
