/** Says why a page can't be searched, and what can be done instead. */
import { element } from "../../shared/elements.ts";
import { t } from "../../shared/translate.ts";
import type { NotSearched } from "./collect.ts";
import { WHY_KEYS } from "./message-catalogue.ts";

export interface Why {
  /** @param reason `undefined` for a page that was searched */
  show(reason: NotSearched | undefined): void;
}

/** @param focusFallback where the focus goes when the button that had it is gone */
export function createWhy(focusFallback: HTMLElement): Why {
  const box = element("page-videos-why", HTMLDivElement);
  const words = element("page-videos-why-words", HTMLParagraphElement);
  const instead = element("choose-instead", HTMLButtonElement);
  instead.addEventListener("click", () => element("choose-videos", HTMLButtonElement).click());
  return {
    show(reason) {
      const key = reason === undefined ? undefined : WHY_KEYS[reason];
      const isFocused = document.activeElement === instead;
      box.hidden = key === undefined;
      words.textContent = key === undefined ? "" : t(key);
      instead.hidden = reason !== "file" && reason !== "unknown";
      if (isFocused && (box.hidden || instead.hidden)) focusFallback.focus();
    },
  };
}
