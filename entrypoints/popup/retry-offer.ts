/** Offers to try again, all at once, the uploads that failed for the token or the address before these were replaced. */
import { accountFault } from "../shared/account-fault.ts";
import { element } from "../shared/elements.ts";
import type { Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { setText } from "../shared/set-text.ts";
import { plural } from "../shared/translate.ts";
import { stepsFor } from "./steps.ts";

export interface RetryOffer {
  /** Takes note of jobs as they are now; `isNews` where they have changed since the page was opened. */
  note(jobs: Job[], isNews: boolean): void;
  remove(jobIds: string[]): void;
}

export interface RetryOfferOptions {
  send(command: OffscreenCommand): void;
  announce(sentence: string): void;
  focusFallback: HTMLElement;
}

export function createRetryOffer({ send, announce, focusFallback }: RetryOfferOptions): RetryOffer {
  const section = element("retry-offer", HTMLElement);
  const words = element("retry-offer-words", HTMLParagraphElement);
  const offered = new Map<string, Job>();
  let said = "";

  function show(isNews: boolean): void {
    const sentence = offered.size === 0 ? "" : sentenceOf([...offered.values()]);
    if (sentence === said) return;
    said = sentence;
    const wasFocused = sentence === "" && section.contains(document.activeElement);
    section.hidden = sentence === "";
    setText(words, sentence);
    if (isNews && sentence !== "") announce(sentence);
    if (wasFocused) focusFallback.focus();
  }

  element("retry-offer-button", HTMLButtonElement).addEventListener("click", () => {
    for (const job of offered.values()) {
      const type = stepsFor(job).buttons.includes("start-over") ? "start-over" : "continue";
      send({ type, jobId: job.id });
    }
  });
  return {
    note(jobs, isNews) {
      for (const job of jobs) {
        if (job.retryOffered && accountFault(job) !== undefined) offered.set(job.id, job);
        else offered.delete(job.id);
      }
      show(isNews);
    },
    remove(jobIds) {
      for (const id of jobIds) offered.delete(id);
      show(true);
    },
  };
}

function sentenceOf(jobs: Job[]): string {
  const faults = new Set(jobs.map(accountFault));
  if (faults.size > 1) return plural("retryOffer.both", jobs.length);
  return plural(faults.has("token") ? "retryOffer.token" : "retryOffer.address", jobs.length);
}
