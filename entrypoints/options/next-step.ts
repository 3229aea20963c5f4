/** What a person does first with an account that is connected: pins the icon, and uploads a video right from here. */
import { ACCEPT, canPick, pick, takeDrops, takeFrom } from "../shared/choose-files.ts";
import { checkFiles, type Dropped } from "../shared/chosen-files.ts";
import { element } from "../shared/elements.ts";
import { callBackground } from "../shared/messages.ts";
import { type OffscreenChannel, openOffscreenChannel } from "../shared/offscreen-channel.ts";
import { setText } from "../shared/set-text.ts";
import { t } from "../shared/translate.ts";

/** Milliseconds in which the offscreen document confirms that it has the files. */
const HANDOVER_TIMEOUT = 10_000;

export interface NextStepSection {
  /** Shows it, once; what is on the toolbar already isn't asked for. */
  show(): void;
}

export function makeNextStep(): NextStepSection {
  const section = element("next", HTMLElement);
  const problem = element("drop-problem", HTMLElement);
  const input = element("files", HTMLInputElement);
  const pending = new Map<string, ReturnType<typeof setTimeout>>();
  let channel: OffscreenChannel | undefined;

  function connect(): OffscreenChannel {
    const opened = openOffscreenChannel((event) => {
      if (event.type !== "taken" || !pending.has(event.batch)) return;
      clearTimeout(pending.get(event.batch));
      pending.delete(event.batch);
      void chrome.tabs.create({ url: chrome.runtime.getURL("popup.html?tab=") });
    });
    callBackground("ensure-offscreen", {}).catch(() => {});
    void opened.waitUntilReady();
    return opened;
  }

  /** The list decides what becomes of them, just as if they came from the popup. */
  function handOver(dropped: Dropped): void {
    const checked = checkFiles(dropped);
    setText(problem, checked.problem);
    if (checked.good.length === 0) return;
    const batch = crypto.randomUUID();
    const late = setTimeout(() => {
      problem.textContent = t("popup.notAdded");
    }, HANDOVER_TIMEOUT);
    pending.set(batch, late);
    channel?.send({ type: "files", batch, files: checked.good });
  }

  return {
    show() {
      if (!section.hidden) return;
      section.hidden = false;
      channel = connect();
      takeDrops(handOver);
      input.accept = ACCEPT.join();
      input.addEventListener("change", () => handOver({ files: takeFrom(input), emptyFolders: [] }));
      element("choose-videos", HTMLButtonElement).addEventListener("click", async () => {
        if (canPick(true)) handOver({ files: await pick(true), emptyFolders: [] });
        else input.click();
      });
      void offerToPin().finally(() => section.scrollIntoView({ block: "nearest" }));
    },
  };
}

/** Says how the icon comes onto the toolbar, and that it is there once it is. */
async function offerToPin(): Promise<void> {
  const { isOnToolbar } = await chrome.action.getUserSettings();
  element("pin", HTMLElement).hidden = isOnToolbar !== false;
  chrome.action.onUserSettingsChanged.addListener((change) => {
    if (change.isOnToolbar === undefined) return;
    const isPinned = change.isOnToolbar;
    element("pin-title", HTMLElement).textContent = t(isPinned ? "next.pinned" : "next.pin");
    element("pin-hint", HTMLElement).textContent = t(isPinned ? "next.pinnedHint" : "next.pinHint");
  });
}
