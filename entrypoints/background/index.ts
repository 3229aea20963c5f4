import { defineBackground } from "wxt/utils/define-background";
import { isHostAllowed, onHostsChanged } from "../reach/host-permissions.ts";
import { logName } from "../shared/fault.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { readUploadSettings } from "../shared/known-account.ts";
import { type OffscreenCommand, TO_OFFSCREEN } from "../shared/messages.ts";
import { readManaged } from "../shared/settings.ts";
import { checkAccount, cleanError, faultsFixedBy, forgetAccount, terminateStream } from "./account.ts";
import { notifyOfProcessed, readAsset } from "./assets.ts";
import { showBadge } from "./badge.ts";
import { authorizeUpload, endHeaders, refreshHeaderRules, sendReferrer } from "./header-rules.ts";
import { forgetLocations, recallLocation, requestLocation } from "./locations.ts";
import { createMenus, onMenuClick } from "./menus.ts";
import { handleRequests } from "./messages.ts";
import { notifyOfUploads, watchNotificationClicks } from "./notifications.ts";
import { closeIfIdle, ensureOffscreen, keepWatch, noteFollowing } from "./offscreen.ts";
import { keepAwake } from "./power.ts";
import { redirectOf, watchRedirects } from "./redirects.ts";
import { noteAnswer, noteTaken } from "./reopen.ts";

// A worker of one file wakes up in half the time. In Firefox the uploads run in the background, and load what they need.
export default defineBackground({
  type: { firefox: "module" },
  main() {
    // Content scripts run in the pages' processes: the token is none of theirs. Firefox can't keep them out.
    if (!IS_FIREFOX) void chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });

    handleRequests({
      "ensure-offscreen": async () => {
        await ensureOffscreen();
        await keepWatch();
      },
      "request-upload": requestLocation,
      "recall-location": ({ jobId }) => recallLocation(jobId),
      "locations-stored": ({ jobIds }) => forgetLocations(jobIds),
      "authorize-upload": ({ jobId, ...upload }) => authorizeUpload(jobId, upload),
      "send-referrer": ({ jobId, address, page }) => sendReferrer(jobId, address, page),
      "upload-stopped": ({ jobId }) => endHeaders(jobId),
      "read-settings": () => readUploadSettings(),
      "clean-error": ({ error }) => cleanError(error),
      "is-permitted": ({ address }) => isHostAllowed(address),
      "redirect-of": async ({ address }) => redirectOf(address),
      "list-changed": async ({ summary, ended }) => {
        await Promise.all([
          showBadge(summary),
          keepAwake(summary),
          notifyOfUploads(summary, ended),
          keepWatch(summary.unended > 0),
        ]);
      },
      "check-account": checkAccount,
      "read-asset": readAsset,
      "assets-followed": async ({ isAtWork, ended }) => {
        await noteFollowing(isAtWork);
        if (ended !== undefined) await notifyOfProcessed(ended);
      },
      taken: noteTaken,
      "forget-account": forgetAccount,
      "terminate-stream": ({ id }) => terminateStream(id),
    });

    void readManaged().catch(logName);
    watchRedirects();
    watchNotificationClicks();
    chrome.runtime.onInstalled.addListener(({ reason }) => {
      void createMenus();
      void resume();
      if (reason === "install") void chrome.runtime.openOptionsPage();
    });
    chrome.runtime.onStartup.addListener(() => {
      // The browser may speak another language since.
      void createMenus();
      void resume();
    });
    chrome.alarms.onAlarm.addListener(() => void closeIfIdle());
    chrome.contextMenus.onClicked.addListener((info, tab) => void onMenuClick(info, tab));
    chrome.storage.onChanged.addListener((changes, area) => {
      // An organization may change its policy at any time.
      if (area === "managed") void readManaged().catch(logName);
      if (area !== "local") return;
      void refreshHeaderRules();
      void createMenus();
      void readUploadSettings().then((settings) => {
        sendToOffscreen({ type: "settings-changed", settings });
        const faults = faultsFixedBy(changes);
        if (faults.length > 0) sendToOffscreen({ type: "account-changed", faults });
      });
    });
    onHostsChanged({
      onAdded() {
        watchRedirects();
        watchNotificationClicks();
        // The browser's question may have closed the page that asked it, so it is sent from here.
        sendToOffscreen({ type: "hosts-changed" });
        void noteAnswer();
      },
    });
    chrome.windows.onFocusChanged.addListener(() => void noteAnswer());
  },
});

/** Sends to a document that is there; one that is made later asks for what it needs. */
function sendToOffscreen(command: OffscreenCommand): void {
  const channel = new BroadcastChannel(TO_OFFSCREEN);
  channel.postMessage(command);
  channel.close();
}

/** After a start of the browser or an update: the offscreen document looks itself for what is unfinished. */
async function resume(): Promise<void> {
  // First, so that it is tried again should something fail.
  await keepWatch();
  await refreshHeaderRules();
  await ensureOffscreen();
}
