/** The worker's bindings, settings and secrets, named as in `wrangler.jsonc`. */
import type { durableObjectJournal, openR2Object } from "../../edge.ts";

export interface Video {
  /** Key of the object in the bucket. */
  key: string;
}

export interface Outcome {
  assetId: string;
  size: number;
  /** Assets that may exist besides: a step ended while it asked for one. */
  doubtful: number;
}

export interface Bindings {
  /** The service's address. */
  UPCUT_URL: string;
  /** The account's token, a secret. */
  UPCUT_TOKEN: string;
  /** The bearer token of callers of the intake, a secret. */
  INTAKE_KEY: string;
  /** MiB that one step sends. @default 64, or a 500th of a larger video */
  UPCUT_STEP?: string;
  /** Milliseconds without a sign of life after which another step may take over, from 5000. @default 30000 */
  UPCUT_LEASE?: string;
  /** Milliseconds until a step that failed is tried again, doubled each time. @default 10000 */
  UPCUT_RETRY?: string;
  BUCKET: Parameters<typeof openR2Object>[0];
  JOURNAL: Parameters<typeof durableObjectJournal>[0];
  INTAKE: { sendBatch(messages: { body: Video }[]): Promise<unknown> };
  VIDEOS: {
    create(options: { id: string; params: Video }): Promise<unknown>;
    get(id: string): Promise<{ status(): Promise<InstanceStatus>; restart(): Promise<void> }>;
  };
}

export interface InstanceStatus {
  status: string;
  output?: unknown;
  error?: { message?: string } | null;
}

/** A message of the queue: the intake's own, or a notification of the bucket. */
export interface Message {
  body: Partial<Video> & { object?: Partial<Video> };
  ack(): void;
  retry(): void;
}
