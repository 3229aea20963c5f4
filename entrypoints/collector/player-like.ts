/** Which frames may be players: not buttons, counters, advertisements and what nobody sees. */

/** Pixels below which a frame shows nothing to be watched. */
const SIDE = 120;
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

export function isPlayerLike(frame: HTMLIFrameElement): boolean {
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
