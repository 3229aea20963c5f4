/**
 * Everything that crosses a process boundary, grouped by the context that receives it.
 *
 * The background responds to runtime messages, so that its worker is woken. The offscreen document listens on a
 * broadcast channel, since that hands over files without copying them.
 */

import type { AccountCheck, AssetRequest } from "../../core/extension.ts";
import type { Asset, ErrorRecord, UploadLocation } from "../../core/mod.ts";
import type { Failure } from "./fault.ts";
import type { AccountNeed, DraftFields, Ends, HostNeed, Job, ListSummary, NamedTracks } from "./job.ts";
import type { KnownAccount, UploadSettings } from "./known-account.ts";
import type { AccountFault } from "./next-steps.ts";
import { within } from "./within.ts";

/** The scope of a noted referrer: all that a host has, or one address; `none` where the page sends none. */
export type ReferrerScope = "host" | "address" | "none";

/** Requests to the background and its responses, by message type. */
export interface BackgroundProtocol {
  "ensure-offscreen": { request: object; response: null };
  /** Requests a location; the same job gets the same response, also from another life of the worker. */
  "request-upload": {
    request: { jobId: string; request: AssetRequest; account?: string | undefined };
    /** `needs`: an upload host that is to get the account's authorization, which takes its permission. */
    response:
      | { location: UploadLocation; address: string; needs?: HostNeed }
      | { missing: HostNeed | AccountNeed }
      | { error: Failure };
  };
  /** The location that the background stored for a job, if it did: requested after a crash, instead of a new one. */
  "recall-location": {
    request: { jobId: string };
    response: { location: UploadLocation; address: string } | null;
  };
  /** The locations of these jobs are stored in the list: the background may forget them. */
  "locations-stored": { request: { jobIds: string[] }; response: null };
  /**
   * Has the authorization of the account at an address go with the requests of a job's upload, where that is turned on.
   * The background decides for which of them: it goes to hosts that the account's service named, and to no other.
   */
  "authorize-upload": {
    request: { jobId: string; address: string; account?: string | undefined; targets: UploadTarget[] };
    response: null;
  };
  /**
   * Has a page's address go along as the referrer when the pieces of its video are read from the host of an address, as
   * the browser would send it from there: some hosts give pieces to their own pages alone. It is sent again for each
   * address where another job reads that host for another page.
   */
  "send-referrer": { request: { jobId: string; address: string; page: string }; response: ReferrerScope };
  /** A job reads and sends nothing more: its requests get neither authorization nor referrer any longer. */
  "upload-stopped": { request: { jobId: string }; response: null };
  /** The settings, without the token: for the offscreen document, which is sent them whenever they change. */
  "read-settings": { request: object; response: UploadSettings };
  /** Takes the account's token out of an error, should the upload host have echoed it: only the background knows it. */
  "clean-error": { request: { error: ErrorRecord }; response: ErrorRecord };
  "is-permitted": { request: { address: string }; response: boolean };
  /** The origin that an address was last seen to redirect to: a fetch doesn't learn where it failed. */
  "redirect-of": { request: { address: string }; response: string | null };
  /**
   * The offscreen document has what a page handed over, or heard that a file dialog was left. Where the dialog has
   * closed the popup, the popup is opened again, at the first of the jobs.
   */
  taken: { request: { batch?: string; jobIds: string[] }; response: null };
  /** How the list stands, for badge, notifications, alarms and power. */
  "list-changed": {
    request: { summary: ListSummary; ended?: Ends };
    response: null;
  };
  /** Checks the saved account by calls that change nothing, and finds where the service has them. */
  "check-account": { request: object; response: CheckResponse };
  /** Reads what is used of an asset of the account at an address; null where another account is set now. */
  "read-asset": {
    request: { address: string; id: string };
    response: { asset: Asset } | { error: Failure } | null;
  };
  /** Tells if uploaded videos are followed, for the alarms, and what became of some, for the notification. */
  "assets-followed": { request: { isAtWork: boolean; ended?: Ends }; response: null };
  /** Forgets the account's token, and with `hosts` also which hosts may be reached. */
  "forget-account": { request: { hosts: boolean }; response: null };
  /** Ends the session of a stream, unless something is missing: then nothing was sent. */
  "terminate-stream": { request: { id: string }; response: TerminateResponse };
}

/** An address that an upload is sent to. May hold a secret. */
export interface UploadTarget {
  url: string;
  /** The methods of the requests that are the upload's own. */
  methods: ("post" | "put" | "head" | "patch" | "delete")[];
}

export type TerminateResponse = { ended: true } | AccountRefusal;

/** Why the account's service wasn't asked, or what it refused. */
export type AccountRefusal =
  | { error: Failure }
  /** The address of the service and the token have to be set, or a host be allowed. */
  | { missing: "settings" | HostNeed };

export type CheckResponse = { check: Omit<AccountCheck, "error"> & { error?: ErrorRecord } } | AccountRefusal;

export type BackgroundRequest = {
  [Type in keyof BackgroundProtocol]: { to: "background"; type: Type } & BackgroundProtocol[Type]["request"];
}[keyof BackgroundProtocol];

/** Sent instead of a response when the background failed in a way nobody foresaw. */
export interface NoResponse {
  noResponse: true;
}

/** Milliseconds until a worker that doesn't respond is given up, since something keeps it busy. */
const RESPONSE_TIMEOUT = 10_000;
/** The same where the response takes a call to the service, which ends within 25 s, or a document to load. */
const LONG_TIMEOUT = 30_000;
const TAKES_LONG: readonly (keyof BackgroundProtocol)[] = [
  "ensure-offscreen",
  "request-upload",
  "recall-location",
  "check-account",
  "read-asset",
  "terminate-stream",
];

/**
 * Sends a request to the background. Where its worker died before it responded, the request is sent once more to its
 * next life, except to end a stream. Rejects when it failed, or died again, or doesn't respond in time.
 */
export async function callBackground<Type extends keyof BackgroundProtocol>(
  type: Type,
  request: BackgroundProtocol[Type]["request"],
): Promise<BackgroundProtocol[Type]["response"]> {
  const message = { ...request, to: "background", type };
  type Response = BackgroundProtocol[Type]["response"];
  const timeout = TAKES_LONG.includes(type) ? LONG_TIMEOUT : RESPONSE_TIMEOUT;
  const response = await send<Response | NoResponse>(message, timeout).catch((error: unknown) => {
    if (type === "terminate-stream" || error === TOO_LATE) throw error;
    return send<Response | NoResponse>(message, timeout);
  });
  if (response instanceof Object && "noResponse" in response) throw new Error("the background failed");
  return response as Response;
}

const TOO_LATE = new Error("the background didn't respond");

async function send<Response>(message: object, timeout: number): Promise<Response> {
  // Where the extension was updated meanwhile, this throws.
  const response: Promise<Response> = chrome.runtime.sendMessage(message);
  return await within(timeout, response, () => {
    throw TOO_LATE;
  });
}

export interface AddressedVideo extends NamedTracks {
  /** http or https. May hold a signature, so it is never shown whole nor logged. */
  address: string;
  /** The page it was found on, which can be opened again. */
  page?: string;
  /** The address of the frame in it that plays the video, where that is another one: servers expect it as the referrer. */
  referrer?: string;
  title: string;
  type?: string;
  /** Bytes; of pieces an estimate. */
  size?: number;
  /** A small picture as a data: address. */
  thumbnail?: string;
  /** True if its server has let us read it as anybody: then it is read so, and its host needs no permission. */
  open?: boolean;
  /** Where the address is a manifest's: the video is the pieces that it names. */
  pieces?: "hls" | "dash";
  /** Of the pieces: the id of the quality, as `inspectHls` gives it. @default the best */
  quality?: string;
  /** Of the pieces: the id of the language, as `inspectHls` gives it. @default the one that plays by default */
  language?: string;
  /** Of the pieces: how long the element that plays them is, where their manifest could not be compared with it. */
  playedSeconds?: number;
}

/**
 * A video that only its page can read, sent by a script in that page as a runtime message. Whoever has taken over the
 * process of a page could send one too: it stays a draft, unless the person has asked for this very batch.
 */
export interface PageBlob {
  to: "offscreen";
  type: "page-blob";
  batch: string;
  blob: Blob;
  title: string;
  page: string;
}

/** Commands of pages and the background to the offscreen document. */
export type OffscreenCommand =
  | { type: "hello" }
  /** From a page that could not read the stored list. The response is `changed` with all jobs. */
  | { type: "list" }
  /** Files that were just chosen. The response is `taken` with the same batch. */
  | {
      type: "files";
      batch: string;
      files: { file: File; handle?: FileSystemFileHandle }[];
      /** Of the upload in whose place they come. @default those of the settings */
      fields?: DraftFields;
    }
  /** Videos at addresses. The response is `taken` with the same batch. An unfinished upload resumes with its new address. */
  | { type: "addresses"; batch: string; videos: AddressedVideo[] }
  /**
   * The person has asked for a video that only its page can read, which sends it as this batch. Scripts of pages can't
   * send this.
   */
  | { type: "expect-blob"; batch: string }
  /** A file dialog was left. The popup may be gone by now, and its message to a worker that is dead would be lost. */
  | { type: "dialog-left"; batch: string }
  | { type: "edit"; jobId: string; fields: DraftFields }
  | { type: "start" | "pause" | "continue" | "remove" | "redraft"; jobIds: string[] }
  /** `move-up` puts a queued job at the head of the queue. */
  | { type: "cancel" | "start-over" | "move-up"; jobId: string }
  /** Gives all drafts the same settings; each keeps its name. */
  | { type: "edit-drafts"; fields: Omit<DraftFields, "name"> }
  | { type: "undo" }
  /** The file of a job that lost it. */
  | { type: "give-file"; jobId: string; file: File; handle?: FileSystemFileHandle }
  /** The file that a job refused becomes an upload of its own, and the job is cancelled. */
  | { type: "upload-new"; jobId: string }
  | { type: "permission-given"; jobId: string }
  /** Sends jobs with the account that is set now: those of another one, and those that failed for token or address. */
  | { type: "use-account"; jobIds: string[]; account: KnownAccount }
  /** They wait for their own account. */
  | { type: "keep-account"; jobIds: string[] }
  /** A host was allowed: sent by the background, since the browser's question may close the page that asked it. */
  | { type: "hosts-changed" }
  /** The token or the address was replaced: sent by the background. */
  | { type: "account-changed"; faults: AccountFault[] }
  /** The settings were changed: sent by the background, which alone can read them beside pages. */
  | { type: "settings-changed"; settings: UploadSettings }
  /** Stops all uploads and empties the list. The response is `removed`. */
  | { type: "clear-list" }
  /** Tries again to read and store the list; `discardStored` gives up what was stored. */
  | { type: "repair-list"; discardStored: boolean };

/** Events of the offscreen document to pages. */
export type OffscreenEvent =
  | { type: "ready" }
  /**
   * `startsAt`: when new ones start by themselves; `resumed`: how many of the jobs waited for what was given; `leftOut`: how
   * many the list had no room for.
   */
  | {
      type: "taken";
      batch: string;
      jobIds: string[];
      startsAt?: number;
      resumed?: number;
      leftOut?: number;
    }
  /** `isWhole`: the list has no others. */
  | { type: "changed"; jobs: Job[]; isWhole?: boolean }
  /** `undoable`: how many of those removed lately can be put back, for as long as `UNDO_TIME`. */
  | { type: "removed"; jobIds: string[]; undoable?: number }
  /** The list can't be read or stored, or can be again. */
  | { type: "trouble"; trouble?: ListTrouble };

/** Why the list is not stored: changes are forgotten when the browser is closed. */
export type ListTrouble = "unreadable" | "unstored";

/** Milliseconds for which what was removed can be put back. */
export const UNDO_TIME = 5_000;

export const TO_OFFSCREEN = "upcut-to-offscreen";
export const FROM_OFFSCREEN = "upcut-from-offscreen";
/** Held by the offscreen document as long as it lives. */
export const OFFSCREEN_LOCK = "upcut-offscreen";
