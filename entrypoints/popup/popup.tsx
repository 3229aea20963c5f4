/** The popup, and the same page in a tab and in the side panel: a view of the list, from which commands are sent. */
import { computed } from "@preact/signals";
import type { VNode } from "preact";
import { onHostsChanged } from "../reach/host-permissions.ts";
import { takeFiles } from "../shared/choose-files.ts";
import { withoutSecrets } from "../shared/job.ts";
import { readList } from "../shared/list-store.ts";
import type { OffscreenEvent } from "../shared/messages.ts";
import { t } from "../shared/translate.ts";
import { Connect } from "../view/connect.tsx";
import { mountPage } from "../view/mount-page.ts";
import { offerSentence, RetryOffer } from "../view/retry-offer.tsx";
import { announceBy } from "./announcements.ts";
import { Choose } from "./choose.tsx";
import { jobToShow, watchDialogs } from "./dialogs.ts";
import { flushForms } from "./draft-form.tsx";
import { keepFocus, showRowOf } from "./focus.ts";
import { lookInto } from "./found-videos.ts";
import { chooseProblem, handOverFiles, handOverTrouble, noteHandedOver } from "./handing-over.ts";
import { frontTab, Header } from "./header.tsx";
import { History } from "./history.tsx";
import { clock, isRead, offered, ordered, removeFromList, showJobs, showStored } from "./list.ts";
import { mainButton } from "./main-button.ts";
import { connect, isResponding, listen, send } from "./offscreen-connection.ts";
import { account, isAccountSet, showSettings } from "./page-settings.ts";
import { followFrontTab, noteWindow, openedFrom, surface } from "./panel.ts";
import { refuseLink } from "./paste-link.tsx";
import { offerUndo, say, Toast } from "./toast.tsx";
import { listTrouble, Troubles } from "./trouble.tsx";
import { Uploads } from "./uploads.tsx";

const COUNTDOWN_INTERVAL = 1000;

function Popup(): VNode {
  return (
    <>
      <Header />
      <main>
        <Troubles />
        {isAccountSet.value === false && (
          <section id="first-run" aria-labelledby="first-run-title">
            <h2 id="first-run-title">{t("popup.connect")}</h2>
            <Connect onConnected={() => void showSettings()} />
          </section>
        )}
        {isAccountSet.value && <Choose />}
        <RetryOffer
          jobs={offered.value}
          account={account.value}
          isMain={mainButton.value === "retry"}
          send={send}
        />
        <Uploads />
        {surface !== "popup" && <History />}
        {isAccountSet.value && isRead.value && ordered.value.length === 0 && (
          <section id="empty">
            <p>{t("popup.empty")}</p>
          </section>
        )}
      </main>
      <Toast />
      <div id="drop-target" aria-hidden="true">
        <p>{t("popup.drop")}</p>
      </div>
    </>
  );
}

function onEvent(event: OffscreenEvent): void {
  switch (event.type) {
    case "ready":
      // listen() has noted it.
      return;
    case "taken":
      noteHandedOver(event);
      return;
    case "changed":
      showJobs(event.jobs, event.isWhole);
      return;
    case "trouble":
      listTrouble.value = event.trouble;
      return;
    case "removed":
      removeFromList(event.jobIds);
      // The list has room again, which may have been the problem.
      chooseProblem.value = "";
      if (event.undoable !== undefined) offerUndo(event.undoable);
      return;
    default:
      event satisfies never;
  }
}

/** The tab in front of the popup, or the one that this tab was opened from. */
async function lookIntoPage(): Promise<void> {
  const [front] = await chrome.tabs.query({ active: true, currentWindow: true });
  frontTab.value = front?.id;
  const tabId = surface === "tab" ? Number(openedFrom) : front?.id;
  if (tabId) await lookInto(tabId);
}

document.documentElement.classList.add(`in-${surface}`);
announceBy(say);
listen(onEvent);
isResponding.subscribe((responds) => {
  if (responds) handOverTrouble.value = "";
});
if (surface === "popup") {
  watchDialogs();
  void noteWindow();
}
const offer = computed(() => (account.value === undefined ? "" : offerSentence(offered.value)));
offer.subscribe((words) => {
  if (words !== "") say(words);
});
takeFiles(handOverFiles);
keepFocus(() => document.getElementById("choose-videos"));
addEventListener("pagehide", flushForms);
chrome.storage.onChanged.addListener(() => void showSettings());
onHostsChanged({ onAdded: () => void showSettings(), onRemoved: () => void showSettings() });
setInterval(() => {
  clock.value = Date.now();
}, COUNTDOWN_INTERVAL);
const query = new URLSearchParams(location.search);
// A notification opens this page to show an upload.
showRowOf(query.get("job") ?? undefined);
// The menu opens this page to say why it couldn't take a video.
refuseLink(query.get("refused") ?? "");

mountPage(t("name"), <Popup />);
const showing = readList().then((jobs) => showStored(jobs.map(withoutSecrets)));
// Where the list can't be read, or only late on a busy machine, the offscreen document sends what it has.
await Promise.all([showSettings(), showing.catch(() => send({ type: "list" }))]);
void lookIntoPage();
if (surface === "panel") void followFrontTab((tabId) => void lookInto(tabId));
if (surface === "popup") void jobToShow().then(showRowOf);
await connect();
