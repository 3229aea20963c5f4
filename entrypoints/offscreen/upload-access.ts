/**
 * How one job reaches its upload host: where no stream does, by frames that connect to it alone, and with the account's
 * authorization where that was turned on. The background adds it to the requests that are named to it, so that no document
 * has the token.
 */
import { recordsOf } from "../../core/extension.ts";
import type { Requester } from "../../core/mod.ts";
import { takeUploadFrame, type UploadFrame } from "../reach/upload-frame.ts";
import type { StoredJob } from "../shared/job.ts";
import { callBackground, type UploadTarget } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { SettingsCopy } from "./settings-copy.ts";

export interface UploadAccess {
  /** Gives a sender to an origin and to no other; nothing where no frame can be limited to it. */
  xhrFor: NonNullable<Requester["xhrFor"]>;
  /** Has the authorization go with the job's next requests, if it is to. */
  authorize(): Promise<void>;
  /**
   * Ends what is still sent, and with it the authorization.
   *
   * @param isDone whether the upload is whole, so that nothing is sent any more. @default false
   */
  close(isDone?: boolean): Promise<void>;
}

export function openUploadAccess(list: JobList, settings: SettingsCopy, jobId: string): UploadAccess {
  const frames = new Map<string, Promise<UploadFrame | undefined>>();
  /** Requests to the background, answered or not. */
  const authorizations: Promise<unknown>[] = [];
  let authorized = "";
  let closed = false;

  function checkOpen(): void {
    if (closed) throw new Error("the access is closed");
  }

  return {
    async xhrFor(origin) {
      checkOpen();
      const frame = frames.get(origin) ?? takeUploadFrame(origin);
      frames.set(origin, frame);
      return await frame;
    },
    async authorize() {
      checkOpen();
      const job = list.get(jobId);
      const targets = targetsOf(job);
      const wanted = JSON.stringify(targets);
      if (job?.address === undefined || wanted === authorized || targets.length === 0) return;
      if (!(await settings.read()).uploadAuthorization) return;
      checkOpen();
      const { address, account } = job;
      const authorization = callBackground("authorize-upload", {
        jobId,
        address,
        account: account?.id,
        targets,
      });
      authorizations.push(authorization);
      await authorization;
      authorized = wanted;
    },
    async close(isDone = false) {
      closed = true;
      const open = [...frames.values()];
      frames.clear();
      for (const opening of open) {
        const frame = await opening.catch(() => undefined);
        if (isDone) frame?.release();
        else frame?.remove();
      }
      // A rule that is still being set would outlive the job.
      const asked = await Promise.allSettled(authorizations.splice(0));
      if (asked.length > 0) await callBackground("upload-stopped", { jobId }).catch(() => {});
    },
  };
}

/** The requests that a job's upload is made of, by what core remembers of it. */
function targetsOf(job: StoredJob | undefined): UploadTarget[] {
  return recordsOf(job?.journal?.entry).flatMap(({ method, location, uploadUrl, resumableLocation }) => [
    ...target(location, [method === "direct" ? "put" : "post"]),
    ...target(resumableLocation, ["post"]),
    ...target(uploadUrl, ["head", "patch", "delete"]),
  ]);
}

function target(url: string | undefined, methods: UploadTarget["methods"]): UploadTarget[] {
  return url === undefined ? [] : [{ url, methods }];
}
