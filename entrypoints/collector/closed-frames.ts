/** Players of other sites, which can't be looked into without a permission. */
import { isWebAddress, originOf } from "../shared/web-address.ts";
import { afterPaint, type TimeSlice } from "./time-slice.ts";

const MAX_FRAMES = 500;
/** Pixels below which a frame shows nothing to be watched. */
const SIDE = 120;

/** The origin of each, of the largest first. */
export async function closedOriginsIn(frames: HTMLIFrameElement[], slice: TimeSlice): Promise<string[]> {
  const found: { origin: string; area: number }[] = [];
  if (frames.length > 0) await afterPaint(slice);
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    if (slice.isOver()) await afterPaint(slice);
    if (slice.isUsedUp()) break;
    if (frame.contentDocument !== null || !isWebAddress(frame.src)) continue;
    if (isPlayerLike(frame))
      found.push({ origin: originOf(frame.src), area: frame.offsetWidth * frame.offsetHeight });
  }
  return found.sort((one, other) => other.area - one.area).map(({ origin }) => origin);
}

/** True if this is one of them, and a script was let in all the same. */
export function isApart(): boolean {
  return window !== window.parent && frameElement === null && innerWidth >= SIDE && innerHeight >= SIDE;
}

/** Characters of an address, a name or an id that are looked at. */
const MAX_TEXT = 300;

/** Hosts of advertisements, of counters, and of questions whether one is human. */
const OTHERS =
  /(^|\.)(doubleclick\.net|googlesyndication\.com|googletagmanager\.com|googleadservices\.com|adnxs\.com|amazon-adsystem\.com|criteo\.(com|net)|taboola\.com|outbrain\.com|rubiconproject\.com|pubmatic\.com|recaptcha\.net|hcaptcha\.com|challenges\.cloudflare\.com|js\.stripe\.com|consensu\.org)$/;
const CAPTCHA = /^https:\/\/(www\.)?google\.com\/recaptcha\//;
const ADVERTISING =
  /(^|[-_\s])(ads?|adslot|advert\w*|aswift|google_ads_iframe|sponsor\w*|banner|captcha)([-_\s\d]|$)/i;
/** Width and height in pixels, as advertisements are sold. */
const ADVERTISEMENT_SIZES: ReadonlySet<string> = new Set([
  ...["300x250", "336x280", "250x250", "200x200", "300x600", "160x600", "240x400", "970x250"],
]);

/** Not a button, a counter, an advertisement, or what nobody sees. */
function isPlayerLike(frame: HTMLIFrameElement): boolean {
  const { offsetWidth: width, offsetHeight: height } = frame;
  if (width < SIDE || height < SIDE || !isSeen(frame)) return false;
  const address = frame.src.slice(0, MAX_TEXT);
  const { hostname } = new URL(frame.src);
  if (OTHERS.test(hostname) || CAPTCHA.test(address)) return false;
  const says = [frame.id, frame.name].map((each) => each.slice(0, MAX_TEXT)).join(" ");
  if (ADVERTISING.test(says)) return false;
  return !ADVERTISEMENT_SIZES.has(`${width}x${height}`) || mayFillScreen(frame);
}

/** Players ask for it, and advertisements are not given it. */
function mayFillScreen(frame: HTMLIFrameElement): boolean {
  return frame.allowFullscreen || frame.allow.slice(0, MAX_TEXT).includes("fullscreen");
}

function isSeen(frame: HTMLIFrameElement): boolean {
  if (!frame.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  const { right, bottom } = frame.getBoundingClientRect();
  // Moved out of the page, where nobody can scroll to.
  return right + scrollX > 0 && bottom + scrollY > 0;
}
