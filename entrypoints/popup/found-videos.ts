/** The videos of the page in front: looked for, listed, and completed by what their servers say. */
import { batch, computed, signal } from "@preact/signals";
import { collectFrom, type NotSearched, type PageFindings } from "../page-videos/collect.ts";
import { type FactReader, readFacts } from "../page-videos/facts.ts";
import { isFresh, isTakeable, type ListedVideo, withManifest } from "../page-videos/listed-video.ts";
import { announcement } from "../page-videos/message-catalogue.ts";
import type { KnownVideo, PageVideo } from "../page-videos/page-video.ts";
import { identityOf } from "../page-videos/video-identity.ts";
import { readHistory } from "../shared/history-store.ts";
import { isEnded } from "../shared/job.ts";
import { readList } from "../shared/list-store.ts";
import { known } from "../shared/record.ts";
import { addressDigests, sourceKind } from "../shared/source-kinds.ts";
import { t } from "../shared/translate.ts";
import { isManifest } from "../shared/video-kind.ts";
import { answerCount } from "./offscreen-connection.ts";
import { surface } from "./panel.ts";

/** The videos that the search found, or why there was none; `undefined` while it lasts. */
export const findings = signal<PageFindings | NotSearched | undefined>(undefined);
/** The videos of the page, the loops behind a text last. */
export const videos = signal<readonly ListedVideo[]>([]);
export const takeable = computed(() => videos.value.filter(isTakeable));
export const spoken = signal("");
export const note = signal("");

let lookedInto: number | undefined;
/** Counts the searches: what an earlier one still brings is no longer wanted. */
let searches = 0;
let facts: FactReader | undefined;
let made = 0;

export async function lookInto(tabId: number): Promise<void> {
  lookedInto = tabId;
  await search(tabId);
}

export function lookAgain(): void {
  if (lookedInto !== undefined) void search(lookedInto);
}

/** Whenever a page of the extension is opened, the uploads respond: a popup opens by the click that lets us look. */
answerCount.subscribe(() => {
  if (surface === "panel" && findings.peek() === "press") lookAgain();
});

export function change(id: string, changes: Partial<ListedVideo>): void {
  update(id, (listed) => ({ ...listed, ...changes }));
}

function update(id: string, changed: (listed: ListedVideo) => ListedVideo): void {
  videos.value = videos.peek().map((each) => (each.id === id ? changed(each) : each));
}

async function search(tabId: number): Promise<void> {
  const mine = ++searches;
  const isWanted = () => mine === searches;
  batch(() => {
    findings.value = undefined;
    note.value = "";
    spoken.value = "";
  });
  let found: PageFindings | NotSearched | undefined = await collectFrom(tabId, surface);
  while (found !== undefined && isWanted()) {
    if (typeof found === "string") {
      show(found, []);
      return;
    }
    await list(found, isWanted);
    const more: PageFindings | undefined = await found.more?.();
    const hasNone = videos.peek().length > 0 && takeable.peek().length === 0;
    if (isWanted()) spoken.value = hasNone ? t("found.noneTakeable") : announcement(more ?? found);
    found = more;
  }
}

function show(found: PageFindings | NotSearched, listed: readonly ListedVideo[]): void {
  batch(() => {
    findings.value = found;
    videos.value = listed;
  });
}

/** In place of the ones before; a video that was among them stays picked and added. */
async function list(found: PageFindings, isWanted: () => boolean): Promise<void> {
  const before = new Map(videos.peek().map((each) => [keyOf(each.video), each]));
  const wasEmpty = takeable.peek().length === 0;
  facts = readFacts(found.access);
  const listed = [...found.videos, ...found.loops].map((video, place): ListedVideo => {
    const earlier = before.get(keyOf(video));
    const asBefore = { open: false, picked: false, added: false, ...earlier };
    // Servers' words from when the page was searched before.
    const { size, thumbnail, type } = earlier?.video ?? {};
    const all: ListedVideo = {
      ...asBefore,
      id: `page-video-${++made}`,
      video: { ...known({ size, thumbnail, type }), ...video },
      isLoop: place >= found.videos.length,
      pageOrigin: found.origin,
    };
    // Read to find out what plays it: a click that comes at once asks for the hosts of its pieces.
    return withManifest(all, found.manifests.known(video.address));
  });
  show(found, listed);
  await markKnown(listed);
  if (wasEmpty && isWanted()) pickOnly();
}

/** Nothing is uploaded twice by accident. */
async function markKnown(listed: readonly ListedVideo[]): Promise<void> {
  const asked = listed.filter((each) => !each.added && isTakeable(each));
  // The whole list is read for it.
  if (asked.length === 0) return;
  const places = await lookUpAddresses(asked.map(({ video }) => video)).catch(() => []);
  batch(() => {
    for (const [index, { id }] of asked.entries()) {
      const where = places[index];
      if (where !== undefined) change(id, { known: where, picked: false });
    }
  });
}

/** What is known of each address, in their order; nothing where that can't be read. */
async function lookUpAddresses(
  videos: readonly { address: string; size?: number }[],
): Promise<(KnownVideo | undefined)[]> {
  const [entries, listed] = await Promise.all([readHistory().catch(() => []), listedDigests()]);
  const uploaded = new Set(entries.flatMap(({ digests }) => digests));
  return await Promise.all(
    videos.map(async (video) => {
      // A data: address has neither.
      if (!/^https?:/i.test(video.address) || !URL.canParse(video.address)) return undefined;
      const digests = await addressDigests(video);
      if (digests.some((each) => listed.has(each))) return "listed";
      return digests.some((each) => uploaded.has(each)) ? "uploaded" : undefined;
    }),
  );
}

async function listedDigests(): Promise<Set<string>> {
  const jobs = await readList().catch(() => []);
  const digests = jobs.map(async (job) => {
    const { source } = job;
    return isEnded(job) || source.url === undefined ? [] : await sourceKind(source).digests(source);
  });
  return new Set((await Promise.all(digests)).flat());
}

/** The only video there is to take is what the person came for. */
function pickOnly(): void {
  const [only, ...others] = takeable.peek().filter(({ isLoop }) => !isLoop);
  if (only !== undefined && others.length === 0 && isFresh(only)) change(only.id, { picked: true });
}

/** True if its server may know more of it than its page. */
export function isIncomplete({ video }: ListedVideo): boolean {
  const { kind, size } = video;
  return isManifest(kind) || (kind === "file" && (size === undefined || lacksPicture(video)));
}

function lacksPicture({ thumbnail, poster }: PageVideo): boolean {
  return thumbnail === undefined && poster !== undefined;
}

export async function completeFound({ id, video }: ListedVideo): Promise<void> {
  const { kind, address, size, poster } = video;
  const found = findings.peek();
  if (typeof found !== "object") return;
  const [server, manifest, picture] = await Promise.all([
    kind === "file" && size === undefined ? facts?.video(address) : undefined,
    isManifest(kind) ? found.manifests.read(address) : undefined,
    lacksPicture(video) ? facts?.picture(poster ?? "") : undefined,
  ]);
  update(id, (listed) => ({
    ...withManifest(listed, manifest),
    ...(server !== undefined && { open: server.open }),
    ...(server?.refused && { trouble: "refused" as const }),
    video: {
      ...listed.video,
      ...known({ size: server?.size, type: server?.type, thumbnail: picture }),
    },
  }));
}

function keyOf({ address, page, kind }: PageVideo): string {
  return `${page.frameId} ${kind} ${identityOf(address)}`;
}
