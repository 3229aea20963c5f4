/** The document that outlives the popup and the service worker: it runs the uploads and alone writes their list. */
import { logName } from "../shared/fault.ts";
import {
  FROM_OFFSCREEN,
  OFFSCREEN_LOCK,
  type OffscreenCommand,
  type OffscreenEvent,
  type PageBlob,
  TO_OFFSCREEN,
} from "../shared/messages.ts";
import { isWebAddress } from "../shared/web-address.ts";
import { createAssetWatch } from "./asset-watch.ts";
import { followAccount, handleCommand, hostsChanged, resumeCancelling } from "./commands.ts";
import { createDrafts } from "./drafts.ts";
import { createHistory, settleDuplicates } from "./history.ts";
import { type JobList, openJobList } from "./job-list.ts";
import { createRemovals } from "./removals.ts";
import { createSettingsCopy } from "./settings-copy.ts";
import { startUploads } from "./uploads.ts";

const events = new BroadcastChannel(FROM_OFFSCREEN);
const commands = new BroadcastChannel(TO_OFFSCREEN);
const send = (event: OffscreenEvent) => events.postMessage(event);
const settings = createSettingsCopy();

async function open() {
  await holdLock();
  const history = createHistory();
  const list: JobList = await openJobList(send, {
    onState(job) {
      if (job.state === "done") {
        history.note(job);
        void assets.add(job);
      }
      void settleDuplicates(list, [job.id]);
    },
    onRemoved: (jobIds) => {
      void settleDuplicates(list, jobIds);
      void assets.refresh();
    },
  });
  const assets = createAssetWatch(list, settings);
  const uploads = await startUploads(list, settings);
  const removals = createRemovals(list, uploads);
  const context = { list, uploads, settings, removals, history, assets, send };
  void resumeCancelling(context);
  // A host may have been allowed while no document was there.
  void hostsChanged(context);
  void followAccount(context).then(uploads.startQueued);
  void assets.refresh();
  return { context, drafts: createDrafts(context) };
}

// Files may be handed over while the list is still being read. No command waits for another: ending an upload may
// take as long as the network does.
const opening = open();
chrome.runtime.onMessage.addListener((message: unknown, sender) => {
  if (sender.id !== chrome.runtime.id || !isPageBlob(message)) return;
  opening.then(({ drafts }) => drafts.addPageBlob(message)).catch(logName);
});
commands.onmessage = ({ data }: MessageEvent<OffscreenCommand>) => {
  opening.then(({ context, drafts }) => handleCommand(context, drafts, data)).catch(logName);
};
await opening;
send({ type: "ready" });

/** Until this document ends: pages see by the lock that it has, and no other one writes the list meanwhile. */
function holdLock(): Promise<void> {
  return new Promise((held) => {
    void navigator.locks.request(OFFSCREEN_LOCK, () => {
      held();
      return new Promise(() => {});
    });
  });
}

/** Scripts in pages send these: whatever took over a page can send anything. */
function isPageBlob(message: unknown): message is PageBlob {
  const { to, type, batch, blob, title, page } = (message ?? {}) as Partial<PageBlob>;
  const texts = [batch, title, page].every((each) => typeof each === "string");
  return (
    to === "offscreen" && type === "page-blob" && texts && isWebAddress(page ?? "") && blob instanceof Blob
  );
}
