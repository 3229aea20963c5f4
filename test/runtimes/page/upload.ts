/** One upload in whichever context of the browser runs this, told in messages. */
import { createSHA256 } from "hash-wasm";
import { indexedDbJournal } from "../../../core/journals/indexed-db.ts";
import {
  createClient,
  type ErrorRecord,
  isUpcutError,
  type Progress,
  type Requester,
  type Uploadable,
  type UploadOptions,
  type UploadResult,
  upload,
} from "../../../core/mod.ts";

export interface PageTask {
  baseUrl: string;
  token: string;
  options: UploadOptions;
  /** Whether the client is given the context's own fetch, which follows no redirect of an upload. */
  byFetch?: boolean;
  /** What is made of the file first. */
  as?: "bytes" | "iterable";
  /** Whether an XMLHttpRequest comes from a frame without the page's policy. */
  byFrame?: boolean;
  /** Whether what is stored is compared by a sha-256 that the page brings along. */
  verify?: boolean;
  /** The name of a journal in IndexedDB. @default one in memory */
  journal?: string;
}

export interface PageOutcome {
  /** The kind of global object it ran in. */
  context: string;
  xhr: boolean;
  reports: Progress[];
  result?: UploadResult;
  error?: ErrorRecord;
}

/** Uploads and tells the outcome; never rejects. */
export async function perform(
  file: File,
  { baseUrl, token, options, byFetch, as, byFrame, verify, journal }: PageTask,
  onProgress?: (progress: Progress) => void,
): Promise<PageOutcome> {
  const reports: Progress[] = [];
  const outcome: PageOutcome = {
    context: globalThis.constructor.name,
    xhr: "XMLHttpRequest" in globalThis,
    reports,
  };
  try {
    const own: typeof fetch = (input, init) => fetch(input, init);
    const client = createClient({
      baseUrl,
      token,
      paths: { asset: "/api/asset/{id}" },
      ...(byFetch && { fetch: own }),
    });
    const result = await upload(
      byFrame === true ? { ...client, xhrFor: frameXhr } : client,
      await sourceOf(file, as),
      {
        ...options,
        ...(verify === true && { verify: createSHA256 }),
        ...(journal !== undefined && { journal: indexedDbJournal({ name: journal }) }),
        onProgress(progress) {
          reports.push(progress);
          onProgress?.(progress);
        },
      },
    );
    return { ...outcome, result };
  } catch (error) {
    if (!isUpcutError(error)) return { ...outcome, error: { message: String(error) } as ErrorRecord };
    return { ...outcome, error: error.toJSON() };
  }
}

const frameXhr: NonNullable<Requester["xhrFor"]> = async () => {
  const frame = document.createElement("iframe");
  const isLoaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.src = "frame";
  document.body.append(frame);
  await isLoaded;
  return {
    XMLHttpRequest: (frame.contentWindow as unknown as typeof globalThis).XMLHttpRequest,
    wasRedirected: async () => false,
  };
};

async function sourceOf(file: File, as: PageTask["as"]): Promise<Uploadable> {
  if (as === undefined) return file;
  return as === "bytes" ? new Uint8Array(await file.arrayBuffer()) : piecesOf(file);
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const size = 1_000_003;
  for (let at = 0; at < file.size; at += size)
    yield new Uint8Array(await file.slice(at, at + size).arrayBuffer());
}
