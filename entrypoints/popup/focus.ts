/** Keeps the focus where the person is when elements change or go. */

/** Focuses the first control in an element, if there is one. */
export function focusFirst(element: Element): boolean {
  const control = element.querySelector<HTMLElement>(
    "input:not([hidden]), .buttons button, .buttons a, button, summary",
  );
  control?.focus();
  return control !== null;
}

/** Removes an entry of a list; its focus goes to the next entry, else to `focusFallback`. */
export function removeEntry(element: Element, focusFallback: HTMLElement): void {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  const isFocused = element.contains(document.activeElement);
  element.remove();
  if (isFocused && !(next !== null && focusFirst(next))) focusFallback.focus();
}
