/** The offscreen document: made when it is needed, looked after while work is unfinished, closed when idle. */

import { within } from "../shared/within.ts";
import { endHeaders } from "./header-rules.ts";
import { place } from "./offscreen-place.ts";

const ALARM = "look-after-uploads";
const OPEN = "open-uploads";
const FOLLOWING = "follows-videos";
/** Milliseconds for the document to load. */
const LOAD_TIMEOUT = 10_000;
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
  // One that doesn't load would be waited for as long as this worker lives.
  await within(LOAD_TIMEOUT, place.open(), () => {});
}

/** Has an alarm look after the document, and remembers whether uploads are open, if that is known. */
export async function keepWatch(open?: boolean): Promise<void> {
  if (open !== undefined) await chrome.storage.session.set({ [OPEN]: open });
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
  const { [OPEN]: open, [FOLLOWING]: follows } = await chrome.storage.session.get([OPEN, FOLLOWING]);
  // A document that has not yet reported may have all to do.
  if (open !== false || follows === true) return await ensureOffscreen();
  const pages = await chrome.runtime.getContexts({ contextTypes: ["POPUP", "TAB", "SIDE_PANEL"] });
  if (pages.length > 0) return;
  await chrome.alarms.clear(ALARM);
  if (await place.isOpen()) await place.close();
}
