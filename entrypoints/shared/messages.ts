/**
 * Everything that crosses a process boundary, grouped by the context that receives it.
 *
 * The background responds to runtime messages, so that its worker is woken. The offscreen document listens on a
 * broadcast channel, since that hands over files without copying them.
 */
import type { AssetRequest, ErrorRecord, UploadLocation } from "../../core/mod.ts";
import type { Failure } from "./fault.ts";
import type { DraftFields, EndedUpload, Job, ListSummary } from "./job.ts";
import type { Settings } from "./settings.ts";

/** Requests to the background and its responses, by message type. */
export interface BackgroundProtocol {
  /** Makes the offscreen document unless there is one. */
  "ensure-offscreen": { request: object; response: null };
  /** Requests a location; the same job gets the same response, also from another life of the worker. */
  "request-upload": {
    request: { jobId: string; request: AssetRequest };
    /** `hostToAllow`: an upload host that is to get the account's authorization, which takes its permission. */
    response: { location: UploadLocation; address: string; hostToAllow?: string } | { error: Failure };
  };
  /** The location that the background stored for a job, if it did: requested after a crash, instead of a new one. */
  "recall-location": {
    request: { jobId: string };
    response: { location: UploadLocation; address: string } | null;
  };
  /** The location is stored in the list: the background may forget it. */
  "location-stored": { request: { jobId: string }; response: null };
  /** The settings, without the token: for the offscreen document, which is sent them whenever they change. */
  "read-settings": { request: object; response: Settings };
  /** Takes the account's token out of an error, should the upload host have echoed it: only the background knows it. */
  "clean-error": { request: { error: ErrorRecord }; response: ErrorRecord };
  /** Whether requests to an address are allowed. */
  "is-permitted": { request: { address: string }; response: boolean };
  /** The origin that an address was last seen to redirect to: a fetch doesn't learn where it failed. */
  "redirect-of": { request: { address: string }; response: string | null };
  /** How the list stands, for badge, notifications, alarms and power. */
  "list-changed": {
    request: { summary: ListSummary; ended?: EndedUpload };
    response: null;
  };
  /** Ends the session of a stream, unless something is missing: then nothing was sent. */
  "terminate-stream": { request: { id: string }; response: TerminateResponse };
}

export type TerminateResponse =
  | { ended: true }
  | { error: Failure }
  /** The address of the service and the token have to be set. */
  | { missing: "settings" }
  /** The browser has to allow this origin. */
  | { missing: "host"; origin: string };

export type BackgroundRequest = {
  [Type in keyof BackgroundProtocol]: { to: "background"; type: Type } & BackgroundProtocol[Type]["request"];
}[keyof BackgroundProtocol];

/** Sent instead of a response when the background failed in a way nobody foresaw. */
export interface NoResponse {
  noResponse: true;
}

/**
 * Sends a request to the background. Where its worker died before it responded, the request is sent once more to its
 * next life, except to end a stream. Rejects when it failed, or died again.
 */
export async function callBackground<Type extends keyof BackgroundProtocol>(
  type: Type,
  request: BackgroundProtocol[Type]["request"],
): Promise<BackgroundProtocol[Type]["response"]> {
  const message = { ...request, to: "background", type };
  const response = await chrome.runtime.sendMessage(message).catch((error: unknown) => {
    if (type === "terminate-stream") throw error;
    return chrome.runtime.sendMessage(message);
  });
  if ((response as NoResponse | null | undefined)?.noResponse === true)
    throw new Error("the background failed");
  return response;
}

/** A video at an address, as a page of the extension hands it over. */
export interface AddressedVideo {
  /** http or https. May hold a signature, so it is never shown whole nor logged. */
  address: string;
  /** The page it was found on, which can be opened again. */
  page?: string;
  title: string;
  /** A media type. */
  type?: string;
  size?: number;
  /** A small picture as a data: address. */
  thumbnail?: string;
  /** Whether its server has let us read it as anybody: then it is read so, and its host needs no permission. */
  open?: boolean;
}

/**
 * A video that only its page can read, sent by a script in that page as a runtime message. It becomes a draft whatever
 * the settings say: whoever has taken over the process of a page could send one too.
 */
export interface PageBlob {
  to: "offscreen";
  type: "page-blob";
  batch: string;
  blob: Blob;
  title: string;
  /** The address of the page. */
  page: string;
}

/** What pages and the background send to the offscreen document. */
export type OffscreenCommand =
  /** Asks whether the document is ready. The response is `ready`. */
  | { type: "hello" }
  /** Files that were just chosen. The response is `taken` with the same batch. */
  | { type: "files"; batch: string; files: { file: File; handle?: FileSystemFileHandle }[] }
  /** Videos at addresses. The response is `taken` with the same batch. An unfinished upload resumes with its new address. */
  | { type: "addresses"; batch: string; videos: AddressedVideo[] }
  | { type: "edit"; jobId: string; fields: DraftFields }
  | { type: "start" | "pause" | "continue" | "cancel" | "remove" | "start-over" | "redraft"; jobId: string }
  /** The file of a job that lost it. */
  | { type: "give-file"; jobId: string; file: File; handle?: FileSystemFileHandle }
  | { type: "permission-given"; jobId: string }
  /** A host was allowed: sent by the background, since the browser's question may close the page that asked it. */
  | { type: "hosts-changed" }
  /** The settings were changed: sent by the background, which alone can read them beside pages. */
  | { type: "settings-changed"; settings: Settings }
  | { type: "clear-ended" }
  /** Tries again to read and store the list; `discardStored` gives up what was stored. */
  | { type: "repair-list"; discardStored: boolean };

/** What the offscreen document sends to pages. */
export type OffscreenEvent =
  | { type: "ready" }
  | { type: "taken"; batch: string; jobIds: string[] }
  | { type: "changed"; jobs: Job[] }
  | { type: "removed"; jobIds: string[] }
  /** The list can't be read or stored, or can be again. */
  | { type: "trouble"; trouble?: ListTrouble };

/** What is wrong with the stored list: what happens now is forgotten when the browser is closed. */
export type ListTrouble = "unreadable" | "unstored";

export const TO_OFFSCREEN = "upcut-to-offscreen";
export const FROM_OFFSCREEN = "upcut-from-offscreen";
/** Held by the offscreen document as long as it lives. */
export const OFFSCREEN_LOCK = "upcut-offscreen";
