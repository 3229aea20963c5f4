/** The first steps with a connected account: upload a video right from here, and pin the icon. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { takeFiles } from "../shared/choose-files.ts";
import { checkFiles, type Dropped } from "../shared/chosen-files.ts";
import { type OffscreenChannel, openOffscreenChannel } from "../shared/offscreen-channel.ts";
import { t } from "../shared/translate.ts";
import { ChooseButton } from "../view/video-input.tsx";
import { isChanged } from "./form.ts";

/** Milliseconds in which the offscreen document confirms that it has the files. */
const HANDOVER_TIMEOUT = 10_000;

const isPinned = signal(true);
const problem = signal("");
/** Batches that the uploads have not confirmed. */
const pending = new Set<string>();
let channel: OffscreenChannel | undefined;

export function NextStep(): VNode {
  useLayoutEffect(() => {
    connect();
    takeFiles(handOver);
    void followPin();
  }, []);
  return (
    <div id="next">
      <div>
        <p>{t("next.upload")}</p>
        {!isPinned.value && <p class="quiet">{t("next.pin")}</p>}
      </div>
      <ChooseButton
        id="choose"
        class={isChanged.value ? "" : "main"}
        words={t("popup.choose")}
        inTab={true}
        take={handOver}
      />
      {problem.value && <p role="alert">{problem.value}</p>}
    </div>
  );
}

function connect(): void {
  channel ??= openOffscreenChannel((event) => {
    if (event.type === "taken" && pending.delete(event.batch))
      void chrome.tabs.create({ url: chrome.runtime.getURL("popup.html?tab=") });
  });
  void channel.waitUntilReady();
}

/** The list decides what becomes of them, just as if they came from the popup. */
function handOver(dropped: Dropped): void {
  const checked = checkFiles(dropped);
  problem.value = checked.problem;
  if (checked.good.length === 0) return;
  const batch = crypto.randomUUID();
  pending.add(batch);
  setTimeout(() => {
    if (pending.has(batch)) problem.value = t("popup.notAdded");
  }, HANDOVER_TIMEOUT);
  channel?.send({ type: "files", batch, files: checked.good });
}

async function followPin(): Promise<void> {
  chrome.action.onUserSettingsChanged.addListener(({ isOnToolbar }) => {
    if (isOnToolbar !== undefined) isPinned.value = isOnToolbar;
  });
  isPinned.value = (await chrome.action.getUserSettings()).isOnToolbar !== false;
}
