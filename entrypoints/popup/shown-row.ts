/** Takes the person to one upload of the list, as soon as it has a row. */
import { t } from "../shared/translate.ts";
import { focusFirst } from "./focus.ts";
import { say } from "./toast.tsx";

let wanted: string | undefined;

/** @param jobId nothing where there is none to show */
export function showRowOf(jobId: string | undefined): void {
  wanted = jobId;
  showWanted();
}

/** To be called when rows have come. */
export function showWanted(): void {
  const title = wanted === undefined ? null : document.getElementById(`title-${wanted}`);
  const row = title?.closest("li");
  if (title == null || row == null) return;
  wanted = undefined;
  row.scrollIntoView({ block: "nearest" });
  // Keeps the focus if the person has moved on.
  if (document.activeElement !== document.body) return;
  focusFirst(row);
  const state = row.querySelector(".state")?.textContent ?? "";
  say(t("popup.stateOf", { name: title.textContent ?? "", state }));
}
