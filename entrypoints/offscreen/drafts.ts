/** Makes jobs of what is handed over: chosen files, videos at addresses, and videos that only their page can read. */
import { plainText } from "../../core/extension.ts";
import type { ChosenFile } from "../shared/chosen-files.ts";
import { type DraftFields, isEnded, NOTHING_SENT, START_DELAY } from "../shared/job.ts";
import {
  type AddressedVideo,
  type BackgroundProtocol,
  callBackground,
  type OffscreenCommand,
  type PageBlob,
} from "../shared/messages.ts";
import { known } from "../shared/record.ts";
import { ownSource, sourceKind } from "../shared/source-kinds.ts";
import { createHostTurns, createTurns } from "../shared/turns.ts";
import { shortName } from "../shared/video-name.ts";
import { hostOf, isWebAddress, originOf } from "../shared/web-address.ts";
import type { OffscreenContext } from "./context.ts";
import { findWaiting, takeFile } from "./given-files.ts";
import { findDuplicates } from "./history.ts";
import type { JobList } from "./job-list.ts";
import { reduce } from "./job-reducer.ts";
import { fileDetails, type OpenJob } from "./job-source.ts";
import { nameTracks } from "./pieces.ts";
import { findByBlob, findByUrl, resumeAt } from "./same-video.ts";
import { pictureOf } from "./thumbnail.ts";

export interface Drafts {
  addFiles(command: Extract<OffscreenCommand, { type: "files" }>): Promise<void>;
  addAddresses(command: Extract<OffscreenCommand, { type: "addresses" }>): Promise<void>;
  addPageBlob(message: PageBlob): Promise<void>;
  /** The person has asked for the Blob that a page sends as this batch: the first one. */
  expectBlob(batch: string): void;
}

/** The parts of a new job that the settings don't give. */
type NewJob = Pick<OpenJob, "source" | "thumbnail"> & Pick<DraftFields, "language"> & { title?: string };

/** A video that was handed over becomes a new job, or resumes an unfinished one. */
type Made = (NewJob & { fields?: DraftFields | undefined }) | { resumes: string };

/** Milliseconds in which the list waits for servers to tell what is continued: each is asked again when it starts. */
const FIND_TIMEOUT = 30_000;

/** Videos that pages sent by themselves, waiting as drafts at a time: a page that was taken over may send any number. */
const MOST_UNASKED = 20;
/** Uploads at a time that have not ended: the list stays quick. */
const MOST_UNENDED = 5_000;

export function createDrafts(context: OffscreenContext): Drafts {
  const { list } = context;
  /** Each takes memory and time of the processor. */
  const pictureInTurn = createTurns(1);
  const expectedBlobs = new Set<string>();
  const inTurn = createHostTurns();
  /** Blobs that nobody asked for, on their way into the list. */
  let arriving = 0;

  async function addPicture(id: string, blob: Blob): Promise<void> {
    const thumbnail = await pictureInTurn(() => pictureOf(blob));
    if (thumbnail !== undefined) await list.apply(id, { type: "pictured", thumbnail });
  }

  return {
    async addFiles({ batch, files, fields }) {
      const waiting = await findWaiting(files, list.all());
      const resumed: string[] = [];
      for (const [chosen, jobs] of waiting)
        for (const { id } of jobs) {
          await takeFile(context, id, chosen);
          resumed.push(id);
        }
      const others = files.filter((chosen) => !waiting.has(chosen));
      const isOneOfMany = ({ file }: ChosenFile) =>
        others.some((each) => each.file !== file && each.file.name === file.name);
      const make = async (chosen: ChosenFile, id: string): Promise<Made> => {
        const { file, handle, path } = chosen;
        void addPicture(id, file);
        return {
          // Files of several folders may have the same name.
          ...(path !== undefined && isOneOfMany(chosen) && { title: path }),
          source: { kind: "file", ...fileDetails(file), blob: file, ...known({ handle }) },
          fields,
        };
      };
      await addBatch(context, batch, others, true, make, resumed);
    },
    async addAddresses({ batch, videos }) {
      const late = AbortSignal.timeout(FIND_TIMEOUT);
      const readable = videos.filter(({ address }) => isWebAddress(address));
      const added: [id: string, host: string][] = [];
      await addBatch(context, batch, readable, true, async (video, id) => {
        added.push([id, hostOf(video.address)]);
        const earlier = await inTurn(hostOf(video.address), () => findByUrl(video, list.all(), late));
        const resumes = earlier !== undefined && (await resumeAt(list, earlier.id, video));
        return resumes ? { resumes: earlier.id } : fromAddress(video);
      });
      await Promise.all(added.map(([id, host]) => inTurn(host, () => nameTracks(list, id))));
    },
    expectBlob: (batch) => void expectedBlobs.add(batch),
    async addPageBlob({ batch, blob, title, page }) {
      const isAsked = expectedBlobs.delete(batch);
      const waiting = unendedIn(list).filter(
        ({ state, source }) => state === "draft" && sourceKind(source).isSentByPage,
      ).length;
      if (!isAsked && waiting + arriving >= MOST_UNASKED) return;
      arriving++;
      const adding = addBatch(context, batch, [blob], isAsked, async ({ size, type }, id) => {
        const name = shortName(title);
        const given = { name, size, type, lastModified: 0, page: shortAddress(page), blob };
        const earlier = await findByBlob(blob, name, list.all());
        if (earlier !== undefined) {
          const source = { ...earlier.source, ...given };
          await list.keep(earlier.id, { source });
          await list.apply(earlier.id, { type: "file-given", source });
          await list.apply(earlier.id, { type: "continued" });
          return { resumes: earlier.id };
        }
        void addPicture(id, blob);
        return { source: { kind: "page-blob", host: hostOf(page), hasPage: true, ...given } };
      });
      await adding.finally(() => arriving--);
    },
  };
}

function unendedIn(list: JobList): OpenJob[] {
  return list.all().filter((job) => !isEnded(job));
}

/** Adds a batch: `make` says what each becomes. New jobs start after a grace, unless the person reviews them first. */
async function addBatch<Given>(
  { list, uploads, settings, history, send }: OffscreenContext,
  batch: string,
  chosen: Given[],
  mayStart: boolean,
  make: (given: Given, id: string) => Promise<Made>,
  resumed: string[] = [],
): Promise<void> {
  const { fields, method, reviewFirst, account } = await settings.read();
  const all = chosen.slice(0, Math.max(0, MOST_UNENDED - unendedIn(list).length));
  const made = await Promise.all(
    all.map(async (given) => {
      const id = crypto.randomUUID();
      return { id, job: await make(given, id) };
    }),
  );
  const sources = made.flatMap(({ job }) => ("source" in job ? [job.source] : []));
  const digests = await Promise.all(sources.map((source) => sourceKind(source).digests(source)));
  const [earlier, duplicates] = await Promise.all([
    history.find(digests),
    findDuplicates(digests, list.all()),
  ]);
  const startsAt = mayStart && !reviewFirst ? Date.now() + START_DELAY : undefined;
  // Also where the clock was set back.
  const createdAt = list.all().reduce((newest, job) => Math.max(newest, job.createdAt + 1), Date.now());
  const jobs: OpenJob[] = [];
  const added = made.flatMap(({ id, job }, place) => {
    if ("resumes" in job) {
      resumed.push(job.resumes);
      return [];
    }
    const { language, fields: own, title, ...rest } = job;
    const name =
      shortName(plainText(title ?? job.source.name).trim()) || new Date().toISOString().slice(0, 10);
    const draft: OpenJob = {
      id,
      createdAt,
      place,
      // Hidden characters of a name must not be sent either. Where nothing is left of it, a date is in no language.
      fields: own ?? { ...fields, method, name, ...known({ language }) },
      state: "draft",
      progress: NOTHING_SENT,
      ...known({ account, uploadedBefore: earlier[jobs.length], duplicateOf: duplicates[jobs.length] }),
      ...rest,
    };
    jobs.push(startsAt === undefined ? draft : reduce(draft, { type: "scheduled", startsAt }));
    return [id];
  });
  const jobIds = [...resumed, ...added];
  await list.add(jobs);
  const scheduled = jobs.find((job) => job.startsAt !== undefined);
  const leftOut = chosen.length - all.length || undefined;
  const told = { startsAt: scheduled?.startsAt, resumed: resumed.length || undefined, leftOut };
  send({ type: "taken", batch, jobIds, ...known(told) });
  reportTaken({ batch, jobIds });
  void uploads.startQueued();
}

/** Makes a job of an address, however long its page has made the texts that belong to it. */
export function fromAddress({
  address,
  title,
  type = "",
  size,
  thumbnail,
  language,
  ...found
}: AddressedVideo): NewJob {
  const { page, pieces, referrer } = found;
  return {
    source: ownSource({
      ...found,
      kind: "url",
      name: shortName(title),
      // Other types are guesses of pages; the server and the name know better.
      type: /^video\/[\w.+-]+/i.exec(type)?.[0] ?? "",
      lastModified: 0,
      [pieces === undefined ? "size" : "estimated"]: size,
      host: hostOf(address),
      hasPage: page !== undefined,
      url: address,
      page: page && shortAddress(page),
      referrer: referrer && shortAddress(referrer),
    }),
    ...(thumbnail?.startsWith("data:image/") && { thumbnail }),
    ...(pieces !== undefined && language !== undefined && { language }),
  };
}

const MAX_ADDRESS = 8192;

/** Of a far too long one its origin, as browsers name a referrer. */
function shortAddress(address: string): string {
  return address.length > MAX_ADDRESS ? originOf(address) : address;
}

export function reportTaken(taken: BackgroundProtocol["taken"]["request"]): void {
  // A background that can't hear it opens nothing; the list has it all the same.
  callBackground("taken", taken).catch(() => {});
}
