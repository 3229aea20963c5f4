/** What keeps uploads from being taken or kept, and what can be done about it. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import type { ListTrouble } from "../shared/messages.ts";
import { t } from "../shared/translate.ts";
import { refusedSentence } from "../view/refused-settings.ts";
import { handOverTrouble } from "./handing-over.ts";
import { LIST_TROUBLE_KEYS } from "./message-catalogue.ts";
import { isResponding, send } from "./offscreen-connection.ts";
import { refusedSettings } from "./page-settings.ts";

/** The trouble with the stored list. */
export const listTrouble = signal<ListTrouble | undefined>(undefined);

export function Troubles(): VNode {
  return (
    <>
      {handOverTrouble.value !== "" && (
        <p id="trouble" role="alert">
          {handOverTrouble.value}
        </p>
      )}
      {isResponding.value === false && <NoAnswer />}
      {listTrouble.value !== undefined && <StoredList trouble={listTrouble.value} />}
      {refusedSettings.value.length > 0 && <RefusedSettings />}
    </>
  );
}

/** A restart ends whatever keeps the uploads from responding. */
function NoAnswer(): VNode {
  return (
    <section class="trouble" aria-label={t("popup.silent")}>
      <p role="alert">{t("popup.silentHint")}</p>
      <div class="buttons">
        <button type="button" onClick={() => chrome.runtime.reload()}>
          {t("popup.restart")}
        </button>
      </div>
    </section>
  );
}

function RefusedSettings(): VNode {
  return (
    <section id="refused-settings" class="trouble" aria-label={t("popup.options")}>
      <p role="alert">{refusedSentence(refusedSettings.value)}</p>
      <div class="buttons">
        <button type="button" onClick={() => chrome.runtime.openOptionsPage()}>
          {t("button.openOptions")}
        </button>
      </div>
    </section>
  );
}

function StoredList({ trouble }: { trouble: ListTrouble }): VNode {
  const repair = (discardStored: boolean) => () => send({ type: "repair-list", discardStored });
  return (
    <section id="list-trouble" class="trouble" aria-label={t("popup.storedList")}>
      <p role="alert">{t(LIST_TROUBLE_KEYS[trouble])}</p>
      <div class="buttons">
        <button type="button" onClick={repair(false)}>
          {t("button.tryAgain")}
        </button>
        {trouble === "unreadable" && (
          <button class="danger" type="button" onClick={repair(true)}>
            {t("popup.newList")}
          </button>
        )}
      </div>
    </section>
  );
}
