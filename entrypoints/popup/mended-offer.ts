/** Offers to try again, all at once, what failed for the token or the address before these were set anew. */
import { accountFault } from "../shared/account-fault.ts";
import { element } from "../shared/elements.ts";
import type { Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { setText } from "../shared/set-text.ts";
import { plural } from "../shared/translate.ts";
import { stepsFor } from "./steps.ts";

export interface MendedOffer {
  /** Takes note of jobs as they are now; `isNews` where they have changed since the page was opened. */
  note(jobs: Job[], isNews: boolean): void;
  remove(jobIds: string[]): void;
}

export interface MendedOfferOptions {
  send(command: OffscreenCommand): void;
  announce(sentence: string): void;
  focusFallback: HTMLElement;
}

export function createMendedOffer({ send, announce, focusFallback }: MendedOfferOptions): MendedOffer {
  const section = element("mended", HTMLElement);
  const words = element("mended-words", HTMLParagraphElement);
  const mended = new Map<string, Job>();
  let said = "";

  function show(isNews: boolean): void {
    const sentence = mended.size === 0 ? "" : sentenceOf([...mended.values()]);
    if (sentence === said) return;
    said = sentence;
    const wasFocused = sentence === "" && section.contains(document.activeElement);
    section.hidden = sentence === "";
    setText(words, sentence);
    if (isNews && sentence !== "") announce(sentence);
    if (wasFocused) focusFallback.focus();
  }

  element("mended-again", HTMLButtonElement).addEventListener("click", () => {
    for (const job of mended.values()) {
      const type = stepsFor(job).buttons.includes("start-over") ? "start-over" : "continue";
      send({ type, jobId: job.id });
    }
  });
  return {
    note(jobs, isNews) {
      for (const job of jobs) {
        if (job.mended && accountFault(job) !== undefined) mended.set(job.id, job);
        else mended.delete(job.id);
      }
      show(isNews);
    },
    remove(jobIds) {
      for (const id of jobIds) mended.delete(id);
      show(true);
    },
  };
}

function sentenceOf(jobs: Job[]): string {
  const faults = new Set(jobs.map(accountFault));
  if (faults.size > 1) return plural("mended.both", jobs.length);
  return plural(faults.has("token") ? "mended.token" : "mended.address", jobs.length);
}
