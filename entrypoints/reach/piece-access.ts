/**
 * How the manifest and the pieces of a video are asked for: as its page does, at each origin in its own way.
 *
 * With cookies where the browser lets us read a host, and as anybody where the host lets everybody. One that does neither
 * must be allowed by the person, which shows here alone: core learns only that a request failed.
 */

import type { Fetch } from "../../core/extension.ts";
import type { HostNeed } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import { originOf } from "../shared/web-address.ts";
import {
  findOriginAccess,
  isPermitted,
  isReachable,
  type ManifestPlace,
  type OriginAccess,
} from "./host-access.ts";

/** Milliseconds for a server that was read before to give an answer of any kind. */
const OPEN_TIMEOUT = 5000;

export interface PieceAccess {
  fetch: Fetch;
  /** To be called when nothing more is read. */
  close(): Promise<void>;
}

export interface PieceAccessOptions extends ManifestPlace {
  /** Names what is read, for the referrer. */
  jobId: string;
  /** The frame in the page that plays the video, where it is one: what servers expect as the referrer. */
  referrer?: string | undefined;
  /** Tells whether pieces of it were read before. */
  isBegun(): boolean;
  onNeeds(needs: HostNeed): void;
}

export function openPieceAccess(options: PieceAccessOptions): PieceAccess {
  const { jobId, address, page, open, isBegun } = options;
  const needs = (origin: string) => options.onNeeds({ permission: "host", origin, reads: true });
  const accesses = new Map<string, Promise<OriginAccess>>();
  const referrer = openPieceReferrer(jobId, options.referrer ?? page);
  let closed = false;

  async function accessTo(origin: string): Promise<OriginAccess> {
    const access = accesses.get(origin) ?? findOriginAccess(origin, options);
    accesses.set(origin, access);
    return await access;
  }

  /** Tells whether it is a permission that is missing, and not the network: then the person is asked for it. */
  async function examineFailure(url: string, access: OriginAccess): Promise<void> {
    const origin = originOf(url);
    const redirect = await callBackground("redirect-of", { address: url }).catch(() => null);
    if (redirect !== null && redirect !== origin && !(await isPermitted(redirect))) return needs(redirect);
    if (!access.allowed && !(await isStillOpen(url, access)) && (await isReachable(origin))) needs(origin);
  }

  /** An address that could be read as anybody, and no longer can, has expired; others may want cookies or a referrer. */
  function isKnownToBeRead(url: string): boolean {
    return isBegun() || (open === true && url === address);
  }

  /** Asks again where a redirect led to a host that may be given the page's address, which it may want. */
  async function askAgainWithReferrer(
    url: string,
    { url: last, body }: Response,
    { access: { allowed }, asked }: { access: OriginAccess; asked: number },
    ask: () => Promise<Response>,
  ): Promise<Response | undefined> {
    if (!allowed || originOf(last) === originOf(url) || closed) return undefined;
    const access = await accessTo(originOf(last));
    if (!wentWithoutReferrer(access, asked)) return undefined;
    await referrer.send(last, access);
    await body?.cancel().catch(() => {});
    return closed ? undefined : await ask();
  }

  const read: Fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : `${input}`;
    if (closed) throw new Error("the access is closed");
    const access = await accessTo(originOf(url));
    if (!closed) await referrer.send(url, access);
    const ask = (credentials: RequestCredentials) => fetch(input, { ...init, credentials });
    const asked = performance.now();
    try {
      const response = await askAs(access, ask, init?.signal);
      access.worked ||= response.ok;
      if (response.status !== 401 && response.status !== 403) return response;
      const again = await askAgainWithReferrer(url, response, { access, asked }, () =>
        ask(access.credentials),
      );
      if (again !== undefined) return again;
      if (!access.allowed && !isKnownToBeRead(url)) needs(originOf(url));
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) await examineFailure(url, access);
      throw error;
    }
  };

  return {
    fetch: read,
    async close() {
      closed = true;
      await Promise.allSettled(accesses.values());
      await referrer.close();
    },
  };
}

/** Without cookies where it fails with them: a server that lets everybody read refuses them. */
async function askAs(
  access: OriginAccess,
  ask: (credentials: RequestCredentials) => Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  try {
    return await ask(access.credentials);
  } catch (error) {
    if (access.allowed || access.worked || access.credentials === "omit" || signal?.aborted) throw error;
    const response = await ask("omit");
    access.credentials = "omit";
    return response;
  }
}

/** For a look at a video before it is uploaded: nobody is asked to allow a host for it, and one that isn't allowed ends it. */
export function openInspectionAccess(
  { address, page, referrer, open }: Pick<PieceAccessOptions, "address" | "page" | "referrer" | "open">,
  stopper: AbortController,
): PieceAccess {
  const jobId = crypto.randomUUID();
  const onNeeds = () => stopper.abort();
  return openPieceAccess({ jobId, address, page, referrer, open, isBegun: () => false, onNeeds });
}

/** A host that a click on the toolbar opened closes with its tab; one whose connection was lost gives an answer. */
async function isStillOpen(url: string, { worked, credentials }: OriginAccess): Promise<boolean> {
  if (!worked || credentials === "omit") return worked;
  const signal = AbortSignal.timeout(OPEN_TIMEOUT);
  const asked = fetch(url, { method: "HEAD", credentials, cache: "no-store", signal });
  return await asked.then(
    () => true,
    () => false,
  );
}

/** @param page nothing where the requests get no referrer */
function openPieceReferrer(jobId: string, page: string | undefined) {
  let sent: Promise<unknown> | undefined;
  return {
    /** Adds it to requests: once for a host, or for each address where another job reads that host for another page. */
    async send(address: string, access: OriginAccess): Promise<void> {
      if (page === undefined || !mayNeedReferrer(access)) return;
      const sending = callBackground("send-referrer", { jobId, address, page }).catch(() => undefined);
      sent = Promise.all([sent, sending]);
      const scope = await sending;
      if (scope === undefined) return;
      access.referrerScope = scope;
      access.referrerSetAt ??= performance.now();
    },
    async close(): Promise<void> {
      // A rule that is still being set would outlive the job.
      await sent;
      if (sent !== undefined) await callBackground("upload-stopped", { jobId }).catch(() => {});
      sent = undefined;
    },
  };
}

function mayNeedReferrer({ allowed, referrerScope }: OriginAccess): boolean {
  return allowed && referrerScope !== "host" && referrerScope !== "none";
}

/** Tells whether a request may have gone without: others, sent at the same time, may have set the referrer meanwhile. */
function wentWithoutReferrer(
  { allowed, referrerScope, referrerSetAt = 0 }: OriginAccess,
  asked: number,
): boolean {
  return allowed && referrerScope !== "none" && (referrerScope !== "host" || referrerSetAt >= asked);
}
