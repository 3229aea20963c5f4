/**
 * How the manifest and the pieces of a video are asked for: as its page does, at each origin in its own way.
 *
 * With cookies where the browser lets us read a host, and as anybody where the host lets everybody. One that does neither
 * must be allowed by the person, which shows here alone: core learns only that a request failed.
 */
import type { Fetch } from "../../core/hls/mod.ts";
import { callBackground, type ReferrerScope } from "../shared/messages.ts";
import { originOf } from "../shared/web-address.ts";
import { isReachable } from "./is-reachable.ts";

/** Milliseconds for a server that was read before to give an answer of any kind. */
const OPEN_TIMEOUT = 5000;

export interface PieceAccess {
  fetch: Fetch;
  /** To be called when nothing more is read. */
  close(): Promise<void>;
}

export interface PieceAccessOptions {
  /** Names what is read, for the referrer. */
  jobId: string;
  /** The address of the manifest. */
  address: string;
  /** The page that plays the video. */
  page?: string | undefined;
  /** The frame in it that does, where it is one: what servers expect as the referrer. */
  referrer?: string | undefined;
  /** Whether the manifest's server lets everybody read it. */
  open?: boolean | undefined;
  /** Whether pieces of it were read before. */
  isBegun(): boolean;
  /** Told of an origin that has to be allowed. */
  onForbidden(origin: string): void;
}

/** How an origin is read. */
interface Way {
  /** Whether the person has allowed it. */
  allowed: boolean;
  credentials: RequestCredentials;
  /** Whether it has given anything. */
  worked: boolean;
  /** What the referrer goes along with, once that is known. */
  refers?: ReferrerScope;
  /** When that was known, in milliseconds of the document: what was asked before went without it. */
  refersSince?: number;
}

export function openPieceAccess(options: PieceAccessOptions): PieceAccess {
  const { jobId, address, page, referrer = page, open, isBegun, onForbidden } = options;
  const ways = new Map<string, Promise<Way>>();
  let referring: Promise<unknown> | undefined;
  let closed = false;

  /** Once for a host, or for each address where another job reads that host for another page. */
  async function refer(address: string, way: Way): Promise<void> {
    if (!way.allowed || referrer === undefined || way.refers === "host" || way.refers === "none") return;
    const sending = callBackground("send-referrer", { jobId, address, page: referrer }).catch(
      () => undefined,
    );
    referring = Promise.all([referring, sending]);
    const scope = await sending;
    if (scope === undefined) return;
    way.refers = scope;
    way.refersSince ??= performance.now();
  }

  async function wayTo(origin: string): Promise<Way> {
    const way = ways.get(origin) ?? findWay(origin, options);
    ways.set(origin, way);
    return await way;
  }

  /** Whether it is a permission that is missing, and not the network: then the person is asked for it. */
  async function examineFailure(url: string, way: Way): Promise<void> {
    const origin = originOf(url);
    const redirect = await callBackground("redirect-of", { address: url }).catch(() => null);
    if (redirect !== null && redirect !== origin && !(await isAllowed(redirect)))
      return onForbidden(redirect);
    if (!way.allowed && !(await isStillOpen(url, way)) && (await isReachable(origin))) onForbidden(origin);
  }

  /** What was read as anybody and no longer is has expired; anything else may want cookies or the page's address. */
  function isKnownToBeRead(url: string): boolean {
    return isBegun() || (open === true && url === address);
  }

  /** Asks again where a redirect led to a host that may be given the page's address, which it may want. */
  async function askAgainWithReferrer(
    url: string,
    { url: last, body }: Response,
    { way: { allowed }, asked }: { way: Way; asked: number },
    ask: () => Promise<Response>,
  ): Promise<Response | undefined> {
    if (!allowed || originOf(last) === originOf(url) || closed) return undefined;
    const way = await wayTo(originOf(last));
    if (!wentWithoutReferrer(way, asked)) return undefined;
    await refer(last, way);
    await body?.cancel().catch(() => {});
    return closed ? undefined : await ask();
  }

  const read: Fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : `${input}`;
    if (closed) throw new Error("the access is closed");
    const way = await wayTo(originOf(url));
    if (!closed) await refer(url, way);
    const ask = (credentials: RequestCredentials) => fetch(input, { ...init, credentials });
    const asked = performance.now();
    try {
      const response = await ask(way.credentials).catch(async (error: unknown) => {
        // Who lets everybody read refuses cookies.
        if (way.allowed || way.worked || way.credentials === "omit" || init?.signal?.aborted) throw error;
        const asAnybody = await ask("omit");
        way.credentials = "omit";
        return asAnybody;
      });
      way.worked ||= response.ok;
      if (!isRefused(response)) return response;
      const again = await askAgainWithReferrer(url, response, { way, asked }, () => ask(way.credentials));
      if (again !== undefined) return again;
      if (!way.allowed && !isKnownToBeRead(url)) onForbidden(originOf(url));
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) await examineFailure(url, way);
      throw error;
    }
  };

  return {
    fetch: read,
    async close() {
      closed = true;
      // A rule that is still being set would outlive the job.
      await Promise.allSettled(ways.values());
      await referring;
      if (referring !== undefined) await callBackground("upload-stopped", { jobId }).catch(() => {});
      referring = undefined;
    },
  };
}

/** For a look at a video before it is uploaded: nobody is asked to allow a host for it, and one that isn't allowed ends it. */
export function openInspectionAccess(
  { address, page, referrer, open }: Pick<PieceAccessOptions, "address" | "page" | "referrer" | "open">,
  stopper: AbortController,
): PieceAccess {
  const jobId = crypto.randomUUID();
  const onForbidden = () => stopper.abort();
  return openPieceAccess({ jobId, address, page, referrer, open, isBegun: () => false, onForbidden });
}

async function findWay(
  origin: string,
  { address, page, open }: Pick<PieceAccessOptions, "address" | "page" | "open">,
): Promise<Way> {
  const allowed = await isAllowed(origin);
  const isOpen = open === true && origin === originOf(address);
  // A click on the toolbar lets us read the site of the page, without it being told.
  const isOwn = page !== undefined && origin === originOf(page);
  return {
    allowed,
    credentials: allowed || (isOwn && !isOpen) ? "include" : "omit",
    worked: false,
  };
}

/** What the click on the toolbar opened closes with its tab; where only the connection was lost, it gives an answer. */
async function isStillOpen(url: string, { worked, credentials }: Way): Promise<boolean> {
  if (!worked || credentials === "omit") return worked;
  const signal = AbortSignal.timeout(OPEN_TIMEOUT);
  const asked = fetch(url, { method: "HEAD", credentials, cache: "no-store", signal });
  return await asked.then(
    () => true,
    () => false,
  );
}

/** Pieces are asked for at once: the answer to another one may have set the referrer meanwhile. */
function wentWithoutReferrer({ allowed, refers, refersSince = 0 }: Way, asked: number): boolean {
  return allowed && refers !== "none" && (refers !== "host" || refersSince >= asked);
}

function isRefused({ status }: Response): boolean {
  return status === 401 || status === 403;
}

/** Whether a host is allowed; one that can't be asked about is. */
async function isAllowed(origin: string): Promise<boolean> {
  return await callBackground("is-permitted", { address: origin }).catch(() => true);
}
