/** Makes jobs of what is handed over: chosen files, videos at addresses, and videos that only their page can read. */
import { type Job, step } from "../shared/job.ts";
import type { AddressedVideo, OffscreenAsk, OffscreenNews, PageBlob } from "../shared/messages.ts";
import { askBackground } from "../shared/messages.ts";
import { DEFAULT_SETTINGS } from "../shared/settings.ts";
import { fileDetails, type OpenJob } from "./job-source.ts";
import type { UploadList } from "./list.ts";
import { begunAt, begunWith, goOnAt } from "./same-video.ts";
import { pictureOf } from "./thumbnail.ts";
import type { Uploads } from "./uploads.ts";

export interface Drafts {
  addFiles(ask: Extract<OffscreenAsk, { type: "files" }>): Promise<void>;
  addAddresses(ask: Extract<OffscreenAsk, { type: "addresses" }>): Promise<void>;
  addPageBlob(message: PageBlob): Promise<void>;
}

/** What a new job is made of, beside what the settings say. */
type Beginning = Pick<OpenJob, "source" | "thumbnail">;

export function createDrafts(
  list: UploadList,
  uploads: Uploads,
  tell: (news: OffscreenNews) => void,
): Drafts {
  let pictures: Promise<unknown> = Promise.resolve();

  /**
   * Takes a batch: `make` says what each becomes, or which unfinished upload goes on with it. New ones start at once
   * where that is set and `mayStart`.
   */
  async function take<Given>(
    batch: string,
    all: Given[],
    mayStart: boolean,
    make: (given: Given, id: string) => Promise<Beginning | { goesOn: string }>,
  ): Promise<void> {
    // What was handed over is not given back: a background that can't answer makes no difference to drafts.
    const settings = await askBackground("read-settings", {}).catch(() => DEFAULT_SETTINGS);
    const { fields, method, startAtOnce } = settings;
    const made = await Promise.all(
      all.map(async (given) => {
        const id = crypto.randomUUID();
        return { id, beginning: await make(given, id) };
      }),
    );
    const jobs: OpenJob[] = [];
    const jobIds = made.map(({ id, beginning }, place) => {
      if ("goesOn" in beginning) return beginning.goesOn;
      const draft: OpenJob = {
        id,
        // The list shows the newest first, and a batch in its own order.
        createdAt: Date.now() - (place + 1) / 1000,
        fields: { ...fields, method, name: beginning.source.name },
        state: "draft",
        progress: NOTHING_SENT,
        ...beginning,
      };
      jobs.push(startAtOnce && mayStart ? step(draft, { type: "started" }) : draft);
      return id;
    });
    await list.add(jobs);
    tell({ type: "taken", batch, jobIds });
    void uploads.pump();
  }

  async function picture(id: string, file: Blob): Promise<void> {
    const thumbnail = await pictureOf(file);
    if (thumbnail !== undefined) await list.apply(id, { type: "pictured", thumbnail });
  }

  function pictureSoon(id: string, blob: Blob): void {
    pictures = pictures.then(() => picture(id, blob));
  }

  return {
    addFiles: ({ batch, files }) =>
      take(batch, files, true, async ({ file, handle }, id) => {
        pictureSoon(id, file);
        return { source: { kind: "file", ...fileDetails(file), blob: file, ...(handle && { handle }) } };
      }),
    addAddresses: ({ batch, videos }) =>
      take(batch, videos.filter(isReadable), true, async (video) => {
        const begun = await begunAt(video, list.all());
        if (begun === undefined) return addressed(video);
        await goOnAt(list, begun.id, video);
        return { goesOn: begun.id };
      }),
    addPageBlob: ({ batch, blob, title, page }) =>
      take(batch, [blob], false, async ({ size, type }, id) => {
        const given = { name: title, size, type, lastModified: 0, page, blob };
        const begun = await begunWith(blob, title, list.all());
        if (begun !== undefined) {
          const source = { ...begun.source, ...given };
          await list.keep(begun.id, { source });
          await list.apply(begun.id, { type: "file-given", source });
          await list.apply(begun.id, { type: "continued" });
          return { goesOn: begun.id };
        }
        pictureSoon(id, blob);
        return { source: { kind: "page-blob", host: hostOf(page), hasPage: true, ...given } };
      }),
  };
}

const NOTHING_SENT: Job["progress"] = { sent: 0, acknowledged: 0, speed: 0 };

function addressed({ address, page, title, type = "", size, thumbnail, open }: AddressedVideo): Beginning {
  // Other types are guesses of pages; the server and the name know better.
  const video = /^video\/[\w.+-]+/i.exec(type)?.[0] ?? "";
  return {
    source: {
      kind: "url",
      name: title,
      type: video,
      lastModified: 0,
      ...(size !== undefined && { size }),
      host: hostOf(address),
      hasPage: page !== undefined,
      url: address,
      ...(page !== undefined && { page }),
      ...(open && { open }),
    },
    ...(thumbnail?.startsWith("data:image/") && { thumbnail }),
  };
}

function isReadable({ address }: AddressedVideo): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}
