/** Keeps the focus where the person is when elements move, change or go. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../shared/translate.ts";
import type { ButtonName } from "./message-catalogue.ts";
import { say } from "./toast.tsx";

const TWINS: Partial<Record<string, ButtonName>> = { pause: "continue", continue: "pause" };

/**
 * Focuses what a person most likely wants next in an upload's row or among some buttons: the best next step, and no
 * button that would stop what runs.
 */
export function focusFirst(element: Element, lost?: HTMLElement): boolean {
  const twin = TWINS[lost?.dataset.act ?? ""];
  const choices = [
    twin && `[data-act=${twin}]`,
    ".buttons :is(button, a):not(.stop)",
    "h3[tabindex]",
    "button:not(.stop)",
  ];
  const [control] = choices.flatMap((each) => (each && element.querySelector<HTMLElement>(each)) || []);
  control?.focus();
  return control !== undefined;
}

/** @param fallback where there always is something to do */
export function keepFocus(fallback: () => HTMLElement | null): void {
  let last: HTMLElement | undefined;

  function restore(records: readonly MutationRecord[]): void {
    if (last === undefined || document.activeElement !== document.body) return;
    const lost = last;
    const went = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(lost)));
    if (went === undefined) return;
    // Moved: the browser takes its focus away, but shows it still.
    if (lost.isConnected) lost.focus({ preventScroll: true });
    else if (!focusNear(lost, went)) fallback()?.focus();
  }

  document.addEventListener("focusin", ({ target }) => {
    last = target as HTMLElement;
  });
  new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}

/**
 * Keeps what is looked at where it is when rows get other places. The browser sees to it by itself, but for a row with
 * the focus: it scrolls after that one.
 *
 * @param rows in their order
 */
export function useKeptView(rows: readonly { id: string }[]): void {
  const before = useRef(rows);
  const isOther = rows.some(({ id }, place) => before.current[place]?.id !== id);
  // At the top, what comes above it is to be seen, as without a focus; and looking costs a layout.
  const seen = isOther && scrollY > 0 ? rowInView() : undefined;
  const top = seen?.getBoundingClientRect().top ?? 0;
  before.current = rows;
  useLayoutEffect(() => {
    if (seen?.isConnected) window.scrollBy(0, seen.getBoundingClientRect().top - top);
  });
}

/** A row on the screen, from the middle outwards, where another one has the focus. */
function rowInView(): Element | undefined {
  const focused = document.activeElement?.closest("#list > li");
  if (!focused) return undefined;
  const seen = [0.5, 0.7, 0.3, 0.9].map((part) =>
    document.elementFromPoint(innerWidth / 2, innerHeight * part)?.closest("#list > li"),
  );
  return seen.find((row) => row && row !== focused) ?? undefined;
}

/** In the entry beside one that went, else in the row, the buttons or the section that it was in. */
function focusNear(lost: HTMLElement, { target, nextSibling, previousSibling }: MutationRecord): boolean {
  const beside = [nextSibling, previousSibling].find(
    (each) => each instanceof HTMLLIElement && each.isConnected,
  );
  if (beside instanceof HTMLElement) {
    const same = lost.dataset.act && beside.querySelector<HTMLElement>(`[data-act="${lost.dataset.act}"]`);
    if (!same) return focusFirst(beside);
    same.focus();
    return true;
  }
  const home = (target as Element).closest("#list > li, .buttons, section");
  return home?.isConnected === true && focusFirst(home, lost);
}

/** The upload that the person is taken to, as soon as it has a row. */
let wanted: string | undefined;

export function showRowOf(jobId: string | undefined): void {
  wanted = jobId;
  showWanted();
}

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
