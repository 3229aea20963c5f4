/** Keeps the focus where the person is when elements change or go. */

/** Controls, those first that a person most likely wants next. */
const CONTROLS = ["input:not([hidden])", ".buttons :is(button, a)", "button, summary"];

/** Focuses the control in an element that is wanted most, if there is one. */
export function focusFirst(element: Element): boolean {
  const [control] = CONTROLS.flatMap((each) => element.querySelector<HTMLElement>(each) ?? []);
  control?.focus();
  return control !== undefined;
}

/** Removes an entry of a list; its focus goes to the same button of the next entry, else to `focusFallback`. */
export function removeEntry(element: Element, focusFallback: HTMLElement): void {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.remove();
  if (focused === null) return;
  const name = (focused as HTMLElement).dataset.act;
  const same = next?.querySelector<HTMLElement>(`[data-act="${name}"]`);
  if (same) same.focus();
  else if (next === null || !focusFirst(next)) focusFallback.focus();
}
