/** An upload in each of its states, as the list would hold it. */
import type { ErrorCode, ErrorRecord } from "../../../../core/mod.ts";
import type { Job, JobState, Processing } from "../../../../entrypoints/shared/job.ts";

let made = 0;
const chosen = {
  kind: "file",
  name: "holiday-2024.mp4",
  size: 48_200_000,
  type: "video/mp4",
  lastModified: 1_700_000_000_000,
} as const;

/** A job, in the order of making the newest. */
export function makeJob(state: JobState, more: Partial<Job> = {}): Job {
  const name = more.source?.name ?? "holiday-2024.mp4";
  made++;
  return {
    id: `job-${made}`,
    createdAt: 1_700_000_000_000 + made,
    source: { ...chosen, name },
    fields: { name: name.replace(/\.\w+$/, ""), staticMp4: false, method: "auto", further: {} },
    state,
    progress: { sent: 0, acknowledged: 0, speed: 0 },
    ...more,
  };
}

export const named = (job: Job, name: string): Job => ({ ...job, fields: { ...job.fields, name } });

export const drafts = (...ids: string[]): Job[] => ids.map((id) => makeJob("draft", { id }));

export const asset = { id: "asset-41f2", playbackId: "play-9c81", name: "holiday-2024" };
export const half = { sent: 21_900_000, acknowledged: 16_777_216, speed: 3_240_000 };
const long = {
  kind: "file" as const,
  name: "a recording with a very long name that nobody would ever write by hand 2024-05-17 14-03-22.mkv",
  size: 3_221_225_472,
  type: "video/x-matroska",
  lastModified: 1_700_000_000_000,
};

export const failure = (code: ErrorCode, more: Partial<ErrorRecord> = {}): ErrorRecord => ({
  name: "UploadError",
  code,
  message: "Cannot upload: something went wrong",
  retryable: false,
  ...more,
});

const resume = { assetId: asset.id, offset: 16_777_216, possible: true };

/** A video of a page, and one before its server has told how large it is. */
export const fromPage = { ...chosen, kind: "url", host: "cdn.example", hasPage: true } as const;
const { size: _, ...unread } = { ...fromPage, name: "Launch video", type: "", lastModified: 0 };
const toRead = { permission: "host", origin: "https://cdn.example", reads: true } as const;

/** A video in pieces: how large it will be is estimated, and what is fetched runs ahead of what is sent. */
export const inPieces = {
  ...unread,
  host: "cdn.example",
  hasPage: true,
  kind: "url",
  pieces: "hls",
  estimated: 310_000_000,
} as const;

/** A video with sound in several languages, and subtitles. */
export const inLanguages = {
  ...inPieces,
  languages: [
    { id: "en", label: "English" },
    { id: "de", label: "German" },
    { id: "commentary", label: "English (Commentary)" },
  ],
  subtitles: 2,
};

/** An upload that is tried again after so many milliseconds. */
function waiting(reason: NonNullable<Job["waiting"]>["reason"], left?: number): Job {
  const until = left === undefined ? undefined : Date.now() + left;
  return makeJob("waiting", { asset, progress: half, waiting: { reason, until, attempt: 1 } });
}

/** A finished upload that the service can be asked about. */
function processed(processing: Omit<Processing, "since">): Job {
  const links = { ...asset, playbackUrl: "https://play.video.example/hls/9c81/index.m3u8" };
  return makeJob("done", { asset: links, processing: { since: Date.now(), ...processing } });
}

/** Everything there is to see, by a name for its picture. */
export const states: Record<string, () => Job[]> = {
  empty: () => [],
  draft: () => [makeJob("draft")],
  drafts: () => [makeJob("draft", { source: long }), makeJob("draft"), makeJob("draft")],
  queued: () => [makeJob("queued")],
  grace: () => [makeJob("queued", { startsAt: Date.now() + 5000 }), makeJob("queued")],
  "retry-offered": () =>
    [1, 2].map(() => makeJob("failed", { retryOffered: true, error: failure("unauthorized") })),
  requesting: () => [makeJob("requesting")],
  uploading: () => [makeJob("uploading", { asset, progress: half })],
  "uploading-long-name": () => [makeJob("uploading", { asset, source: long, progress: half })],
  "draft-other-length": () => [
    makeJob("draft", { source: inPieces, otherLength: { playedSeconds: 605, foundSeconds: 15 } }),
  ],
  "draft-pieces": () => [makeJob("draft", { source: inPieces })],
  "draft-languages": () => [makeJob("draft", { source: inLanguages })],
  "uploading-pieces": () => [
    makeJob("uploading", { asset, source: inPieces, progress: { ...half, fetched: 48_200_000 } }),
  ],
  finishing: () => [makeJob("uploading", { asset, progress: { ...half, sent: 48_200_000 } })],
  "waiting-connection": () => [waiting("connection", 4000)],
  "waiting-offline": () => [waiting("offline")],
  "waiting-stalled": () => [waiting("stalled", 9000)],
  "waiting-store": () => [waiting("settling", 1000)],
  "waiting-not-found": () => [waiting("not-found", 9000)],
  "waiting-service": () => [waiting("http-status", 9000)],
  "waiting-rate-limited": () => [waiting("rate-limited", 300_000)],
  paused: () => [makeJob("paused", { asset, progress: half })],
  cancelling: () => [
    makeJob("paused", { asset, progress: half, ending: true }),
    makeJob("failed", { asset, ending: true, error: failure("interrupted", { resume }), progress: half }),
    makeJob("needs-file", { asset, progress: half, ending: true }),
    makeJob("asset-unknown", { ending: true, error: failure("asset-unknown") }),
    makeJob("needs-permission", { asset, ending: true, needs: toRead, source: inPieces }),
  ],
  "needs-file": () => [makeJob("needs-file", { asset, progress: half })],
  "needs-permission-file": () => [
    makeJob("needs-permission", { asset, progress: half, needs: { permission: "file" } }),
  ],
  "needs-permission-host": () => [
    makeJob("needs-permission", {
      asset,
      needs: { permission: "host", origin: "https://upload.video.example" },
    }),
  ],
  "asset-unknown": () => [makeJob("asset-unknown", { error: failure("asset-unknown") })],
  done: () => [makeJob("done", { asset, outcome: { resent: 0, duration: 12_400, resumed: false } })],
  "done-links": () => [
    makeJob("done", {
      asset: {
        ...asset,
        playbackUrl: "https://play.video.example/hls/9c81/index.m3u8",
        downloadUrl: "https://play.video.example/9c81.mp4",
      },
      outcome: { resent: 0, duration: 512_400, resumed: true },
    }),
  ],
  "done-processing": () => [processed({ stage: "working", progress: 0.4 })],
  "done-ready": () => [
    processed({ stage: "ready", same: "content" }),
    processed({ stage: "ready", same: "size" }),
  ],
  "done-unusable": () => [
    processed({ stage: "failed", reason: "The file holds no video track" }),
    processed({ stage: "differs" }),
    processed({ error: failure("unauthorized") }),
  ],
  "failed-kept": () => [
    makeJob("failed", { asset, progress: half, error: failure("interrupted", { resume, retryable: true }) }),
  ],
  "failed-token": () => [
    makeJob("failed", {
      error: failure("unauthorized", { httpStatus: 401, details: ["[hidden: it repeats a secret]"] }),
    }),
  ],
  "failed-rejected": () => [
    makeJob("failed", {
      error: failure("rejected", { httpStatus: 422, details: ["profiles.0.width must be integer"] }),
    }),
  ],
  "failed-gone": () => [
    makeJob("failed", { asset, error: failure("upload-gone", { resume: { ...resume, possible: false } }) }),
  ],
  "failed-changed": () => [makeJob("failed", { asset, error: failure("source-changed") })],
  "failed-not-a-video": () => [
    makeJob("failed", { source: { ...long, name: "notes.txt", size: 812 }, error: failure("not-a-video") }),
  ],
  "address-draft": () => [makeJob("draft", { source: unread })],
  "address-uploading-unknown-size": () => [makeJob("uploading", { asset, source: unread, progress: half })],
  "address-needs-host": () => [
    makeJob("needs-permission", { asset, source: fromPage, progress: half, needs: toRead }),
  ],
  "address-expired": () => [
    makeJob("failed", {
      asset,
      source: fromPage,
      progress: half,
      error: failure("source-refused", { resume }),
    }),
  ],
  "page-blob-lost": () => [
    makeJob("needs-file", { asset, source: { ...fromPage, kind: "page-blob" }, progress: half }),
  ],
  cancelled: () => [makeJob("cancelled", { asset, endedAtService: true })],
  mixed: () => [
    makeJob("cancelled", { asset, endedAtService: true }),
    makeJob("done", { asset, outcome: { resent: 0, duration: 12_400, resumed: false } }),
    makeJob("failed", { asset, progress: half, error: failure("interrupted", { resume, retryable: true }) }),
    makeJob("queued", { source: long }),
    makeJob("uploading", { asset, progress: half }),
    makeJob("draft", { source: { ...long, name: "launch video.mov" } }),
  ],
};
