/** The offscreen document: made when it is needed, looked after while work is unfinished, closed when idle. */

import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { within } from "../shared/within.ts";
import { endHeaders } from "./header-rules.ts";

const ALARM = "look-after-uploads";
const UNENDED = "open-uploads";
const FOLLOWING = "follows-videos";
const LOAD_TIMEOUT = 10_000;
/** While it is made: whoever asks meanwhile waits for the same document. */
let making: Promise<void> | undefined;

export async function ensureOffscreen(): Promise<void> {
  if (await place.isOpen()) return;
  making ??= make().finally(() => {
    making = undefined;
  });
  await making;
}

async function make(): Promise<void> {
  // The requests of an earlier document have ended with it.
  await endHeaders().catch(() => {});
  // A document that doesn't load would be waited for as long as this worker lives.
  await within(LOAD_TIMEOUT, place.open(), () => {});
}

/** Has an alarm look after the document, and remembers whether uploads have not ended, if that is known. */
export async function keepWatch(unended?: boolean): Promise<void> {
  if (unended !== undefined) await chrome.storage.session.set({ [UNENDED]: unended });
  if ((await chrome.alarms.get(ALARM)) === undefined)
    await chrome.alarms.create(ALARM, { periodInMinutes: 0.5 });
}

/** Remembers whether the document follows what the service makes of uploaded videos, which outlasts the uploads. */
export async function noteFollowing(isAtWork: boolean): Promise<void> {
  await chrome.storage.session.set({ [FOLLOWING]: isAtWork });
  await keepWatch();
}

/** At an alarm: makes the document again if it died with work unfinished, closes it when nobody needs it. */
export async function closeIfIdle(): Promise<void> {
  const { [UNENDED]: unended, [FOLLOWING]: follows } = await chrome.storage.session.get([UNENDED, FOLLOWING]);
  // A document that has not yet reported may have all to do.
  if (unended !== false || follows === true) return await ensureOffscreen();
  const pages = await chrome.runtime.getContexts({ contextTypes: ["POPUP", "TAB", "SIDE_PANEL"] });
  if (pages.length > 0) return;
  await chrome.alarms.clear(ALARM);
  if (await place.isOpen()) await place.close();
}

interface OffscreenPlace {
  open(): Promise<void>;
  isOpen(): Promise<boolean>;
  close(): Promise<void>;
}

/** Chromium's place: a document that is never shown, beside the worker. */
const offscreenDocument: OffscreenPlace = {
  open: () =>
    chrome.offscreen.createDocument({
      url: "offscreen.html",
      reasons: ["BLOBS"],
      justification: "Uploads chosen files, which takes longer than the popup and the service worker live",
    }),
  isOpen: async () => (await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] })).length > 0,
  close: () => chrome.offscreen.closeDocument(),
};

const KEEP_ALIVE_INTERVAL = 10_000;

let frame: HTMLIFrameElement | undefined;
let keepingAlive: ReturnType<typeof setInterval> | undefined;

/**
 * Firefox's place, which has no offscreen document: a frame in the background's own page.
 *
 * The page is ended half a minute after the last event, whatever its frames do. Calls of the browser are such events,
 * so they are made as long as the frame is there, which is as long as uploads are unfinished or a page is open.
 */
const offscreenFrame: OffscreenPlace = {
  async open() {
    const made = document.createElement("iframe");
    made.src = "offscreen.html";
    const loaded = new Promise<void>((resolve) => {
      made.addEventListener("load", () => resolve(), { once: true });
    });
    document.body.append(made);
    frame = made;
    keepingAlive = setInterval(() => void chrome.runtime.getPlatformInfo(), KEEP_ALIVE_INTERVAL);
    await loaded;
  },
  isOpen: async () => frame !== undefined,
  async close() {
    clearInterval(keepingAlive);
    frame?.remove();
    frame = undefined;
  },
};

const place: OffscreenPlace = IS_FIREFOX ? offscreenFrame : offscreenDocument;
