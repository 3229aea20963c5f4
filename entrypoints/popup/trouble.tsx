/** What keeps uploads from being taken or kept, and what can be done about it. */
import { signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { requestHosts } from "../reach/host-permissions.ts";
import type { ListTrouble } from "../shared/messages.ts";
import { type PlainKey, t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";
import { Button } from "../view/actions.tsx";
import { refusedSettingSentence } from "../view/refused-settings.ts";
import { handOverTrouble } from "./handing-over.ts";
import { totals } from "./list.ts";
import { LIST_TROUBLE_KEYS } from "./message-catalogue.ts";
import { isResponding, send } from "./offscreen-connection.ts";
import { refusedSettings, unreachedAddress } from "./page-settings.ts";

export const listTrouble = signal<ListTrouble | undefined>(undefined);

export function Troubles(): VNode {
  const trouble = listTrouble.value;
  const repair = (discardStored: boolean) => () => send({ type: "repair-list", discardStored });
  return (
    <>
      {handOverTrouble.value !== "" && (
        <p id="trouble" class="problem" role="alert">
          {handOverTrouble.value}
        </p>
      )}
      {/* A restart ends whatever keeps the uploads from responding. */}
      {isResponding.value === false && (
        <Trouble label="popup.silent" words={t("popup.silentHint")}>
          <Button words={t("popup.restart")} act={() => chrome.runtime.reload()} />
        </Trouble>
      )}
      {trouble !== undefined && (
        <Trouble id="list-trouble" label="popup.storedList" words={t(LIST_TROUBLE_KEYS[trouble])}>
          <Button words={t("button.tryAgain")} act={repair(false)} />
          {trouble === "unreadable" && (
            <Button class="danger" words={t("popup.newList")} act={repair(true)} />
          )}
        </Trouble>
      )}
      {/* A permission that was taken back ends nothing that runs, but what comes after it. */}
      {unreachedAddress.value !== "" && totals.value.pausable > 0 && (
        <Trouble
          id="unreached"
          label="popup.newUploads"
          words={t("options.hostLacks", { host: hostOf(unreachedAddress.value) })}
        >
          <Button
            words={t("options.allowHost", { host: hostOf(unreachedAddress.value) })}
            act={() => requestHosts([unreachedAddress.value])}
          />
        </Trouble>
      )}
      {refusedSettings.value.length > 0 && (
        <Trouble
          id="refused-settings"
          label="popup.options"
          words={refusedSettingSentence(refusedSettings.value)}
        >
          <Button words={t("button.openOptions")} act={() => chrome.runtime.openOptionsPage()} />
        </Trouble>
      )}
    </>
  );
}

interface TroubleProps {
  id?: string;
  label: PlainKey;
  words: string;
  children: ComponentChildren;
}

function Trouble({ id, label, words, children }: TroubleProps): VNode {
  return (
    <section id={id} class="trouble" aria-label={t(label)}>
      <p class="problem" role="alert">
        {words}
      </p>
      <div class="buttons">{children}</div>
    </section>
  );
}
