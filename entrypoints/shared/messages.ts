/**
 * Everything that crosses a process boundary, grouped by the context that answers.
 *
 * The background answers runtime messages, so that its worker is woken. The offscreen document listens on a
 * broadcast channel, since that hands over files without copying them.
 */
import type { AssetRequest, ErrorRecord, UploadLocation } from "../../core/mod.ts";
import type { Failure } from "./fault.ts";
import type { DraftFields, Job, ListSummary } from "./job.ts";
import type { Settings } from "./settings.ts";

/** What the background answers, by message type. */
export interface BackgroundProtocol {
  /** Makes the offscreen document unless there is one. */
  "ensure-offscreen": { ask: object; answer: null };
  /** Asks for a location; the same job is answered the same, also by another life of the worker. */
  "request-upload": {
    ask: { jobId: string; request: AssetRequest };
    /** `hostToAllow`: an upload host that is to get the account's authorization, which takes its permission. */
    answer: { location: UploadLocation; address: string; hostToAllow?: string } | { error: Failure };
  };
  /** The answer that the background kept for a job, if it did: asked after a crash instead of asking anew. */
  "recall-location": { ask: { jobId: string }; answer: { location: UploadLocation; address: string } | null };
  /** The location is safe in the list: the background may forget it. */
  "location-kept": { ask: { jobId: string }; answer: null };
  /** The settings, without the token. */
  "read-settings": { ask: object; answer: Settings };
  /** Takes the account's token out of an error, should the upload host have echoed it: only the background knows it. */
  "clean-error": { ask: { error: ErrorRecord }; answer: ErrorRecord };
  /** Whether requests to an address are allowed. */
  "is-permitted": { ask: { address: string }; answer: boolean };
  /** The origin that an address was last seen to redirect to: a fetch doesn't learn where it failed. */
  "redirect-of": { ask: { address: string }; answer: string | null };
  /** Tells how the list stands, for badge, notifications, alarms and power. */
  "list-changed": {
    ask: { summary: ListSummary; news?: { name: string; state: "done" | "failed" } };
    answer: null;
  };
  /** Ends the session of a stream. */
  "terminate-stream": { ask: { id: string }; answer: { ended: true } | { error: Failure } };
}

export type BackgroundAsk = {
  [Type in keyof BackgroundProtocol]: { to: "background"; type: Type } & BackgroundProtocol[Type]["ask"];
}[keyof BackgroundProtocol];

/** Given instead of an answer when the background failed in a way nobody foresaw. */
export interface NoAnswer {
  noAnswer: true;
}

/**
 * Asks the background. A worker that died before it answered is asked once more, in its next life, except to end a
 * stream. Rejects when it failed, or died again.
 */
export async function askBackground<Type extends keyof BackgroundProtocol>(
  type: Type,
  ask: BackgroundProtocol[Type]["ask"],
): Promise<BackgroundProtocol[Type]["answer"]> {
  const message = { ...ask, to: "background", type };
  const answer = await chrome.runtime.sendMessage(message).catch((error: unknown) => {
    if (type === "terminate-stream") throw error;
    return chrome.runtime.sendMessage(message);
  });
  if ((answer as NoAnswer | null | undefined)?.noAnswer === true) throw new Error("the background failed");
  return answer;
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

/** What pages tell the offscreen document. */
export type OffscreenAsk =
  /** Is anybody there? Answered by `ready`. */
  | { type: "hello" }
  /** Files that were just chosen. Answered by `taken` with the same batch. */
  | { type: "files"; batch: string; files: { file: File; handle?: FileSystemFileHandle }[] }
  /** Videos at addresses. Answered by `taken` with the same batch; one that was begun goes on with its new address. */
  | { type: "addresses"; batch: string; videos: AddressedVideo[] }
  | { type: "edit"; jobId: string; fields: DraftFields }
  | { type: "start" | "pause" | "continue" | "cancel" | "remove" | "start-over" | "redraft"; jobId: string }
  /** The file of a job that lost it. */
  | { type: "give-file"; jobId: string; file: File; handle?: FileSystemFileHandle }
  | { type: "permission-given"; jobId: string }
  /** A host was allowed, by whichever page: told by the background, since a prompt may close the page that asked. */
  | { type: "hosts-changed" }
  | { type: "clear-ended" }
  /** Tries again to read and store the list; `anew` gives up what was stored. */
  | { type: "mend-list"; anew: boolean };

/** What the offscreen document tells pages. */
export type OffscreenNews =
  | { type: "ready" }
  | { type: "taken"; batch: string; jobIds: string[] }
  | { type: "changed"; jobs: Job[] }
  | { type: "removed"; jobIds: string[] }
  /** The list can't be read or stored, or can be again. */
  | { type: "trouble"; trouble?: ListTrouble };

/** What is wrong with the list at rest: what happens now is forgotten when the browser is closed. */
export type ListTrouble = "unreadable" | "unstored";

export const TO_OFFSCREEN = "upcut-to-offscreen";
export const FROM_OFFSCREEN = "upcut-from-offscreen";
/** Held by the offscreen document as long as it lives. */
export const OFFSCREEN_LOCK = "upcut-offscreen";
