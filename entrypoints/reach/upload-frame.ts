/**
 * A frame that can connect to one origin alone.
 *
 * An XMLHttpRequest follows a redirect of the upload host with all bytes of the video, before a script hears of it. What
 * stops it before any connection is a Content-Security-Policy, which a frame can have of its own. What core sends as a
 * stream needs none: no browser follows a redirect with it.
 */
import type { Requester } from "../../core/mod.ts";

/** Core's sender to one origin. */
type OriginXhr = NonNullable<Awaited<ReturnType<NonNullable<Requester["xhrFor"]>>>>;

export interface UploadFrame extends OriginXhr {
  origin: string;
  fetch: typeof fetch;
  /** Keeps the frame, in which nothing is sent any more, for the next one who takes a frame of its origin. */
  release(): void;
  /** Ends the frame, and what it still sends. */
  remove(): void;
}

const LOAD_TIMEOUT = 10_000;
/** Milliseconds for which a released frame is kept. */
const KEPT = 5_000;
/** Frames that nobody uses: making one takes longer than sending a short video. */
const released = new Set<UploadFrame>();
/** Milliseconds until the frame has been told that a request was blocked, which comes after the request's failure. */
const REPORT_DELAY = 50;

export async function takeUploadFrame(origin: string): Promise<UploadFrame | undefined> {
  const free = [...released].find((frame) => frame.origin === origin);
  if (free === undefined) return await openUploadFrame(origin);
  released.delete(free);
  return free;
}

/** Makes a frame for an origin; nothing for one that a policy can't name, as one with an IPv6 address. */
export async function openUploadFrame(origin: string): Promise<UploadFrame | undefined> {
  if (!isNameable(origin)) return undefined;
  const frame = document.createElement("iframe");
  const loaded = new Promise<void>((resolve, reject) => {
    frame.addEventListener("load", () => resolve(), { once: true });
    setTimeout(() => reject(new Error("the frame doesn't load")), LOAD_TIMEOUT);
  });
  const policy = `default-src 'none'; connect-src ${origin}`;
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  document.body.append(frame);
  await loaded;
  const inside = frame.contentDocument?.defaultView;
  if (inside == null) throw new Error("the frame has no document");
  let redirected = false;
  let end: ReturnType<typeof setTimeout> | undefined;
  const endUnused = () => {
    if (released.delete(own)) frame.remove();
  };
  // Nothing is sent by this frame but to its own origin, so what is blocked was redirected.
  inside.document.addEventListener("securitypolicyviolation", () => {
    redirected = true;
    endUnused();
  });
  const own: UploadFrame = {
    origin,
    XMLHttpRequest: inside.XMLHttpRequest,
    fetch: (input, init) => inside.fetch(input, init),
    async wasRedirected() {
      await new Promise((resolve) => setTimeout(resolve, REPORT_DELAY));
      return redirected;
    },
    release() {
      // The next upload would be taken for redirected too.
      if (redirected) return frame.remove();
      released.add(own);
      clearTimeout(end);
      end = setTimeout(endUnused, KEPT);
    },
    remove: () => frame.remove(),
  };
  return own;
}

/** Tells whether a policy can name the origin, and with it no other one: `*` and `;` may stand in the host of an address. */
function isNameable(origin: string): boolean {
  return /^https?:\/\/[a-z\d-]+(\.[a-z\d-]+)*(:\d+)?$/.test(origin);
}
