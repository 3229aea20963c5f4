/** The head of the list: how all uploads stand together, and what can be done for many of them at once. */
import { useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { formatNumber, formatPartOf, formatPercent, formatTimeLeft } from "../shared/format.ts";
import { isUnfinished, type Job } from "../shared/job.ts";
import { isPaused, type ListTotals } from "../shared/list-totals.ts";
import { accountFault, canBeRetried, isOffered } from "../shared/next-steps.ts";
import { plural, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { doneLinks, drafts, inGrace, lackingFiles, ordered, startable, totals } from "./list.ts";
import { editedForAll, isEditingAll, mainButton } from "./main-button.ts";
import { send } from "./offscreen-connection.ts";
import { account } from "./page-settings.ts";
import { ProgressBar } from "./progress-bar.tsx";
import { allowFiles } from "./stored-source.ts";
import { copyText } from "./toast.tsx";

/** Drafts that are removed one by one. */
const FEW = 3;

const isDone = ({ state }: Job): boolean => state === "done";
const isDraft = ({ state }: Job): boolean => state === "draft";
const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ id }) => id);

/** Such as "16 of 60 · 4.1 of 9.8 GB · 12 min left". */
export function summarySentence(totals: ListTotals): string {
  const { all, done, failed, sent, size, unsized, left, speed } = totals;
  return [
    t("list.count", { done: formatNumber(done), all: formatNumber(all) }),
    size > 0 ? formatPartOf(sent, size) : "",
    unsized > 0 ? plural("list.unsized", unsized) : "",
    formatTimeLeft(left, speed),
    failed > 0 ? plural("list.failed", failed) : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

export function ListHeader({ startAll }: { startAll(): void }): VNode {
  const { all, failed, pausable, paused, retryable, fraction } = totals.value;
  // A single row says it all itself, and of those that failed there is nothing to sum up.
  const isOfUse = all > 0 && all + failed > 1;
  useLayoutEffect(() => void document.documentElement.classList.toggle("with-summary", isOfUse));
  useSignalEffect(showTitle);
  const each = (type: "pause" | "continue" | "remove", which: (job: Job) => boolean) => () =>
    send({ type, jobIds: idsOf(ordered.value.filter(which)) });
  return (
    <div class="bar">
      <h2 id="uploads-title">{t("popup.uploads")}</h2>
      {isOfUse && <p id="list-summary">{summarySentence(totals.value)}</p>}
      {isOfUse && <ProgressBar id="list-progress" value={fraction} label={t("list.all")} />}
      <div id="list-buttons" class="buttons">
        {/* What is about to start is held by its own row. The focus never goes to what stops by itself. */}
        {pausable - inGrace.value.length > 1 && (
          <Button class="stop" words={t("list.pauseAll")} act={each("pause", isUnfinished)} />
        )}
        {paused > 1 && <Button words={t("list.continueAll")} act={each("continue", isPaused)} />}
        {lackingFiles.value.length > 1 && (
          <Button words={t("list.allowAll")} act={() => allowFiles(lackingFiles.value[0]?.id ?? "")} />
        )}
        {retryable > 1 && <Button words={t("list.retryFailed")} act={retryFailed} />}
        {startable.value.length > 1 && (
          <Button
            class={mainButton.value === "start-all" ? "main" : ""}
            words={t("popup.startAll")}
            act={startAll}
          />
        )}
        {drafts.value.length > 1 && (
          <Button
            key="edit-all"
            id="edit-all"
            words={t("list.editAll")}
            aria-expanded={isEditingAll.value}
            act={() => {
              editedForAll.value = isEditingAll.peek() ? undefined : drafts.value[0];
            }}
          />
        )}
        {drafts.value.length > FEW && (
          <Button class="stop" words={t("list.removeDrafts")} act={each("remove", isDraft)} />
        )}
        {doneLinks.value.length > 1 && (
          <Button
            words={t("list.copyLinks")}
            act={() =>
              copyText(doneLinks.value.join("\n"), plural("list.linksCopied", doneLinks.value.length))
            }
          />
        )}
        {ordered.value.some(isDone) && (
          <Button words={t("popup.clearFinished")} act={each("remove", isDone)} />
        )}
      </div>
    </div>
  );
}

/** Uploads that failed for a token or an address go on with those that are set now. */
function retryFailed(): void {
  const now = account.peek();
  const failed = ordered.peek().filter(canBeRetried);
  const isForAccount = (job: Job) => now !== undefined && isOffered(job) && accountFault(job) !== undefined;
  const renewed = idsOf(failed.filter(isForAccount));
  const others = idsOf(failed).filter((id) => !renewed.includes(id));
  if (now !== undefined && renewed.length > 0) send({ type: "use-account", jobIds: renewed, account: now });
  if (others.length > 0) send({ type: "continue", jobIds: others });
}

/** How far the uploads are, also where the page is a tab that nobody looks at. */
function showTitle(): void {
  const { running, fraction } = totals.value;
  const percent = running > 0 && fraction !== undefined ? `${formatPercent(fraction)} · ` : "";
  document.title = percent + t("name");
}
