/** The asset records: made at request-upload, filled in as the content arrives and is processed. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Asset as Documented } from "../../core/mod.ts";
import { type Account, accountId } from "./accounts.ts";
import type { CreateRequest } from "./creation.ts";
import type { Shelf } from "./shelf.ts";

/** The documented record; only what is honestly known is present. */
export type Asset = Documented & {
  name: string;
  playbackId: string;
  createdAt: number;
  status: {
    phase: "uploading" | "processing" | "ready" | "failed";
    updatedAt: number;
    progress?: number;
    errorMessage?: string;
  };
};

/** What the service remembers of an asset; `asset` is the part a client sees. */
export interface AssetEntry {
  account: string;
  asset: Asset;
  taskId: string;
  /** The creation request as it came, unknown fields included. */
  received: unknown;
  /** In the Location of a resumable upload, which is a secret by itself. */
  uploadId: string;
  /** How the content came; null until it has. */
  transfer: "tus" | "direct" | null;
  /** The upload was ended by its client: no content will come. */
  terminated: boolean;
  playlist: boolean;
}

export function createAsset(
  shelf: Shelf<AssetEntry>,
  account: Account,
  request: CreateRequest,
  mark: string,
): AssetEntry {
  const now = Date.now();
  const { playbackPolicy, profiles, creatorId } = request;
  const asset: Asset = {
    id: randomUUID(),
    name: request.name,
    type: "video",
    playbackId: randomBytes(8).toString("hex"),
    userId: accountId(account, "user"),
    creatorId: { type: "unverified", value: typeof creatorId === "string" ? creatorId : account.name },
    projectId: accountId(account, "project"),
    createdAt: now,
    source: { type: "directUpload" },
    status: { phase: "uploading", updatedAt: now, progress: 0 },
    storage: { ipfs: { spec: {}, updatedAt: now }, status: { phase: "ready", tasks: {} } },
  };
  // As they came: also null, which the document doesn't have.
  if (playbackPolicy !== undefined) Object.assign(asset, { playbackPolicy });
  if (profiles !== undefined) Object.assign(asset, { profiles: profiles?.map(withNumericGop) ?? null });
  if (account.tokenName !== undefined) asset.createdByTokenName = account.tokenName;
  const entry: AssetEntry = {
    account: account.name,
    asset,
    taskId: randomUUID(),
    received: request,
    uploadId: mark + randomBytes(16).toString("hex"),
    transfer: null,
    terminated: false,
    playlist: false,
  };
  shelf.put(asset.id, entry);
  return entry;
}

/** The document has `gop` as a string in the request and a number in the record. */
function withNumericGop(profile: Record<string, unknown>): Record<string, unknown> {
  const gop = Number.parseFloat(String(profile.gop));
  return Number.isNaN(gop) ? profile : { ...profile, gop };
}

export function setPhase(entry: AssetEntry, phase: Asset["status"]["phase"], errorMessage?: string): void {
  entry.asset.status = { phase, updatedAt: Date.now() };
  if (phase === "ready") entry.asset.status.progress = 1;
  if (errorMessage !== undefined) entry.asset.status.errorMessage = errorMessage;
}

/** The record with its addresses, which depend on the port the service has today. */
export function presentAsset({ asset, playlist }: AssetEntry, baseUrl: string): Asset {
  const { phase } = asset.status;
  const links: Pick<Asset, "playbackUrl" | "downloadUrl"> = {};
  // Before the content is known both are promises, as on a real service.
  if (phase === "uploading" || phase === "processing" || playlist)
    links.playbackUrl = `${baseUrl}/hls/${asset.playbackId}/index.m3u8`;
  if (phase !== "failed" || asset.size !== undefined)
    links.downloadUrl = `${baseUrl}/asset/${asset.playbackId}/video`;
  return { ...asset, ...links };
}
