/** One upload in whichever context of the browser runs this, told in messages. */
import {
  createClient,
  type ErrorRecord,
  isUpcutError,
  type Progress,
  type UploadOptions,
  type UploadResult,
  upload,
} from "../../../core/mod.ts";

/** Where it goes and how. */
export interface PageTask {
  baseUrl: string;
  token: string;
  options: UploadOptions;
}

/** How it went. */
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
  { baseUrl, token, options }: PageTask,
  onProgress?: (progress: Progress) => void,
): Promise<PageOutcome> {
  const reports: Progress[] = [];
  const outcome: PageOutcome = {
    context: globalThis.constructor.name,
    xhr: "XMLHttpRequest" in globalThis,
    reports,
  };
  try {
    const result = await upload(createClient({ baseUrl, token }), file, {
      ...options,
      onProgress(progress) {
        reports.push(progress);
        onProgress?.(progress);
      },
    });
    return { ...outcome, result };
  } catch (error) {
    if (!isUpcutError(error)) return { ...outcome, error: { message: String(error) } as ErrorRecord };
    return { ...outcome, error: error.toJSON() };
  }
}
