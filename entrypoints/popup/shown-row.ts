/** Takes the person to one upload of the list, as soon as it has a row. */
import { t } from "../shared/translate.ts";
import { focusFirst } from "./focus.ts";

export interface ShownRow {
  /** @param jobId nothing where there is none to show */
  show(jobId: string | undefined): void;
  /** To be called when rows have come. */
  check(): void;
}

export function createShownRow(announce: (sentence: string) => void): ShownRow {
  let wanted: string | undefined;

  function check(): void {
    const title = wanted === undefined ? null : document.getElementById(`title-${wanted}`);
    const row = title?.closest("li");
    if (title == null || row == null) return;
    wanted = undefined;
    row.scrollIntoView({ block: "nearest" });
    // Whoever is at work somewhere else by now stays there.
    if (document.activeElement !== document.body) return;
    focusFirst(row);
    const state = row.querySelector(".state")?.textContent ?? "";
    announce(t("popup.stateOf", { name: title.textContent ?? "", state }));
  }

  return {
    show(jobId) {
      wanted = jobId;
      check();
    },
    check,
  };
}
