/** The head of the list: how all uploads stand together, and what can be done for many of them at once. */
import { formatNumber, formatPartOf, formatPercent, formatTimeLeft } from "../shared/format.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { setText } from "../shared/set-text.ts";
import { plural, t } from "../shared/translate.ts";
import type { ListTotals } from "./list-totals.ts";

export interface ListHeader {
  show(totals: ListTotals): void;
}

export interface ListHeaderOptions {
  find(id: string): HTMLElement;
  send(command: OffscreenCommand): void;
  /** Hides what is of no use now, and moves the focus. */
  hide(id: string, hidden: boolean): void;
}

/** Such as "16 of 60 · 4.1 of 9.8 GB · 12 min left". */
export function summarySentence({ all, done, sent, size, unsized, left, speed }: ListTotals): string {
  return [
    t("list.count", { done: formatNumber(done), all: formatNumber(all) }),
    size > 0 ? formatPartOf(sent, size) : "",
    unsized > 0 ? plural("list.unsized", unsized) : "",
    formatTimeLeft(left, speed),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

export function createListHeader({ find, send, hide }: ListHeaderOptions): ListHeader {
  const words = find("list-summary");
  const bar = find("list-progress") as HTMLProgressElement;
  const title = document.title;
  let shown = "";

  for (const type of ["pause-all", "continue-all", "retry-failed"] as const)
    find(type).addEventListener("click", () => send({ type }));

  function showTitle({ running, fraction }: ListTotals): void {
    const percent = running > 0 && fraction !== undefined ? `${formatPercent(fraction)} · ` : "";
    if (document.title !== percent + title) document.title = percent + title;
  }

  return {
    show(totals) {
      // A single row says it all itself.
      const isOfUse = totals.all > 1;
      document.documentElement.classList.toggle("with-summary", isOfUse);
      words.hidden = !isOfUse;
      bar.hidden = !isOfUse;
      const counts = {
        "pause-all": totals.pausable,
        "continue-all": totals.paused,
        "retry-failed": totals.retryable,
      };
      // Those that come are there before another one gives its focus away.
      const inTurn = Object.entries(counts).sort(([, a], [, b]) => b - a);
      for (const [id, count] of inTurn) hide(id, count < 2);
      showTitle(totals);
      if (!isOfUse) return;
      const sentence = summarySentence(totals);
      if (sentence !== shown) setText(words, sentence);
      shown = sentence;
      // Without a value it shows that something is happening.
      if (totals.fraction === undefined) bar.removeAttribute("value");
      else bar.value = totals.fraction;
    },
  };
}
