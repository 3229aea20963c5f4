/** Offers to take a removal back, for some seconds. */
import { UNDO_TIME } from "../shared/messages.ts";
import { plural } from "../shared/translate.ts";

export interface Undo {
  /** Says how many uploads were removed, and offers to put them back. */
  offer(count: number): void;
}

export interface UndoOptions {
  button: HTMLElement;
  /** Says something in the page's status line, beside the button. */
  announce(sentence: string): void;
  undo(): void;
  /** Where the focus goes when the button goes. */
  focusFallback: HTMLElement;
}

export function createUndo({ button, announce, undo, focusFallback }: UndoOptions): Undo {
  let hiding: ReturnType<typeof setTimeout> | undefined;

  function hide(): void {
    clearTimeout(hiding);
    const isFocused = button === document.activeElement;
    button.hidden = true;
    if (isFocused) focusFallback.focus();
  }

  function takeBack(): void {
    hide();
    undo();
  }

  button.addEventListener("click", takeBack);
  document.addEventListener("keydown", (event) => {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    const isTyping = (event.target as Element).closest("input, textarea, select") !== null;
    if (!isUndo || isTyping || button.hidden) return;
    event.preventDefault();
    takeBack();
  });

  return {
    offer(count) {
      announce(plural("list.removed", count));
      button.hidden = false;
      clearTimeout(hiding);
      hiding = setTimeout(hide, UNDO_TIME);
    },
  };
}
