/** Offers to try again, all at once, the uploads that failed for the token or the address before these were replaced. */
import type { VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Job } from "../shared/job.ts";
import { accountFault } from "../shared/next-steps.ts";
import { plural, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { offered } from "./list.ts";
import { mainButton } from "./main-button.ts";
import { send } from "./offscreen-connection.ts";
import { stepsFor } from "./steps.ts";
import { say } from "./toast.tsx";

export function RetryOffer(): VNode | null {
  const jobs = offered.value;
  const words = jobs.length === 0 ? "" : sentenceOf(jobs);
  useLayoutEffect(() => {
    if (words !== "") say(words);
  }, [words]);
  if (words === "") return null;
  return (
    <section id="retry-offer" aria-label={t("retryOffer.title")}>
      <p>{words}</p>
      <Button
        class={mainButton.value === "retry" ? "main" : ""}
        words={t("button.tryAgain")}
        act={() => retry(jobs)}
      />
    </section>
  );
}

function retry(jobs: readonly Job[]): void {
  for (const job of jobs)
    send(
      stepsFor(job).buttons.includes("start-over")
        ? { type: "start-over", jobId: job.id }
        : { type: "continue", jobIds: [job.id] },
    );
}

function sentenceOf(jobs: readonly Job[]): string {
  const faults = new Set(jobs.map(accountFault));
  if (faults.size > 1) return plural("retryOffer.both", jobs.length);
  return plural(faults.has("token") ? "retryOffer.token" : "retryOffer.address", jobs.length);
}
