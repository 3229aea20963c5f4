/** The head of the page: its name, and the ways to its other places. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { Tool } from "./icon.tsx";
import { moveToPanel, surface } from "./panel.ts";

/** The tab in front of the popup, whose videos the page in a tab goes on to show. */
export const frontTab = signal<number | undefined>(undefined);

export function Header(): VNode {
  return (
    <header id="top">
      <h1>
        <svg viewBox="0 0 128 128" aria-hidden="true">
          <rect width="128" height="128" rx="28" />
          <path d="M64 16 104 56H80v16L48 84V56H24z M48 102 80 90v22H48z" />
        </svg>
        <span>{t("name")}</span>
      </h1>
      {surface === "popup" && (
        <Tool
          id="open-panel"
          icon="panel"
          label={t(IS_FIREFOX ? "panel.openSidebar" : "panel.open")}
          act={moveToPanel}
        />
      )}
      {surface !== "tab" && (
        <a id="open-in-tab" href={`?tab=${frontTab.value ?? ""}`} target="_blank" rel="noreferrer">
          {t("popup.openInTab")}
        </a>
      )}
      <Button id="open-options" words={t("popup.options")} act={() => chrome.runtime.openOptionsPage()} />
    </header>
  );
}
