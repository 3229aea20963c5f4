/** Offers the account that is set now to the uploads that wait for another one, or failed for the token or the address. */
import type { VNode } from "preact";
import { formatNumber } from "../shared/format.ts";
import type { Job } from "../shared/job.ts";
import type { KnownAccount } from "../shared/known-account.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { accountFault, waitsForAccount } from "../shared/next-steps.ts";
import { plural, t } from "../shared/translate.ts";
import { Button } from "./actions.tsx";

interface RetryOfferProps {
  jobs: readonly Job[];
  account: KnownAccount | undefined;
  isMain: boolean;
  send(command: OffscreenCommand): void;
}

export function RetryOffer({ jobs, account, isMain, send }: RetryOfferProps): VNode | null {
  if (jobs.length === 0 || account === undefined) return null;
  const jobIds = jobs.map(({ id }) => id);
  const again = t("retryOffer.again", { count: formatNumber(jobs.length) });
  return (
    <section id="retry-offer" aria-label={t("retryOffer.title")}>
      <p>{offerSentence(jobs)}</p>
      <div class="buttons">
        <Button
          class={isMain ? "main" : ""}
          words={jobs.every(hasFault) ? again : t("retryOffer.send")}
          act={() => send({ type: "use-account", jobIds, account })}
        />
        {jobs.some(waitsForAccount) && (
          <Button words={t("retryOffer.keep")} act={() => send({ type: "keep-account", jobIds })} />
        )}
      </div>
    </section>
  );
}

const hasFault = (job: Job): boolean => accountFault(job) !== undefined;

/** The question comes with each change of the account: no upload goes to another one without a word. */
export function offerSentence(jobs: readonly Job[]): string {
  if (jobs.length === 0) return "";
  if (!jobs.every(hasFault)) return plural("retryOffer.waiting", jobs.length);
  if (jobs.some(waitsForAccount)) return plural("retryOffer.renewed", jobs.length);
  const faults = new Set(jobs.map(accountFault));
  if (faults.size > 1) return plural("retryOffer.both", jobs.length);
  return plural(faults.has("token") ? "retryOffer.token" : "retryOffer.address", jobs.length);
}
