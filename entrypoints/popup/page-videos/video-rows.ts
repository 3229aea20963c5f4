/** The rows of the page's videos: drawn, and completed by what the videos' servers say. */
import { render } from "lit-html";
import { isOpenedByClick } from "../../shared/host-permissions.ts";
import type { KnownVideo, PageVideo } from "../../shared/page-video.ts";
import { identityOf } from "../../shared/video-identity.ts";
import { isManifest } from "../../shared/video-kind.ts";
import { originOf } from "../../shared/web-address.ts";
import type { PageFindings } from "./collect.ts";
import { type FactReader, readFacts } from "./facts.ts";
import type { Manifest } from "./manifest.ts";
import type { ManifestReader } from "./manifests.ts";
import { isTakeable, type VideoView, videoTemplate } from "./row.ts";
import { watchVisibleRows } from "./visible-rows.ts";

export interface VideoRow {
  root: HTMLLIElement;
  view: VideoView;
  /** The origin that the click on the toolbar button lets us read. */
  pageOrigin: string;
  /** Whether it lies where the click on the toolbar button lets us read. */
  own: boolean;
  /** Whether its server has let us read it as anybody. */
  open: boolean;
  /** Whether it is one of the loops behind a text. */
  isLoop: boolean;
}

export interface VideoRows {
  /** Those that can be taken, the loops last. */
  takeable(): VideoRow[];
  draw(row: VideoRow): void;
  /**
   * Shows other videos in place of the ones before; a video that was among them stays picked and added.
   *
   * @param isWanted whether they are still to be shown, asked between two tasks
   * @returns whether all were shown
   */
  replace(
    found: Pick<PageFindings, "videos" | "loops" | "origin" | "access" | "manifests">,
    isWanted: () => boolean,
  ): Promise<boolean>;
  clear(): void;
}

export interface VideoRowsOptions {
  list: HTMLElement;
  /** For the loops behind a text. */
  loopList: HTMLElement;
  /** Called when the person has picked a video, or takes that back. */
  onPick(): void;
  /** Which videos are in the list of uploads already, or were uploaded before, in their order. */
  lookUp(videos: PageVideo[]): Promise<(KnownVideo | undefined)[]>;
}

/** Rows of one task: more would take longer than a frame. */
const ROWS_PER_TASK = 20;

export function createVideoRows({ list, loopList, onPick, lookUp }: VideoRowsOptions): VideoRows {
  let rows: VideoRow[] = [];
  let servers: Servers | undefined;
  let made = 0;
  const visibleRows = watchVisibleRows((root) => {
    const row = rows.find((each) => each.root === root);
    if (row !== undefined && servers !== undefined) void complete(row, servers).then(onPick);
  });

  function add(content: Omit<RowContent, "id" | "onPick">): void {
    made++;
    const row = makeRow({ id: `page-video-${made}`, onPick, ...content });
    // Read to find out what plays it: a click that comes at once asks for the hosts of its pieces.
    const known = servers?.manifests.known(row.view.video.address);
    if (known !== undefined) showManifest(row, known);
    rows.push(row);
    draw(row);
    (row.isLoop ? loopList : list).append(row.root);
    const { kind, size, thumbnail, poster } = row.view.video;
    const isIncomplete = size === undefined || (thumbnail === undefined && poster !== undefined);
    if ((kind === "file" && isIncomplete) || isManifest(kind)) visibleRows.watch(row.root);
  }

  function clear(): void {
    visibleRows.clear();
    rows = [];
    for (const each of [list, loopList]) each.replaceChildren();
  }

  /** Nothing is uploaded twice by accident. */
  async function markKnown(): Promise<void> {
    const asked = rows.filter(({ view }) => !view.added && isTakeable(view));
    const known = await lookUp(asked.map(({ view }) => view.video)).catch(() => []);
    for (const [index, row] of asked.entries()) {
      const state = known[index];
      if (state === undefined) continue;
      row.view.known = state;
      row.view.picked = false;
      draw(row);
    }
  }

  return {
    takeable: () => rows.filter(({ view }) => isTakeable(view)),
    draw,
    clear,
    async replace({ videos, loops, origin, access, manifests }, isWanted) {
      const before = new Map(rows.map((row) => [keyOf(row.view.video), row]));
      clear();
      servers = { facts: readFacts(access), manifests };
      const all = [...videos, ...loops];
      for (let at = 0; at < all.length; at += ROWS_PER_TASK) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve));
        if (!isWanted()) return false;
        all.slice(at, at + ROWS_PER_TASK).forEach((video, place) => {
          const isLoop = at + place >= videos.length;
          add({ video, isLoop, pageOrigin: origin, before: before.get(keyOf(video)) });
        });
      }
      await markKnown();
      return isWanted();
    },
  };
}

function draw({ root, view }: VideoRow): void {
  render(videoTemplate(view), root);
}

interface RowContent {
  id: string;
  video: PageVideo;
  isLoop: boolean;
  pageOrigin: string;
  /** The row of the same video, when the page was searched before. */
  before: VideoRow | undefined;
  onPick(): void;
}

function makeRow({ id, video, isLoop, pageOrigin, before, onPick }: RowContent): VideoRow {
  const view: VideoView = {
    id,
    video: { ...knownBefore(before), ...video },
    pageOrigin,
    picked: before?.view.picked ?? false,
    added: before?.view.added ?? false,
    ...(before?.view.manifest && { manifest: before.view.manifest }),
    ...(before?.view.quality !== undefined && { quality: before.view.quality }),
    ...(before?.view.language !== undefined && { language: before.view.language }),
    pick(picked) {
      view.picked = picked;
      onPick();
    },
    choose(what, id) {
      view[what] = id;
      draw(row);
    },
  };
  const row: VideoRow = {
    root: document.createElement("li"),
    view,
    pageOrigin,
    own: isOpenedByClick(originOf(video.address), pageOrigin),
    open: before?.open ?? false,
    isLoop,
  };
  return row;
}

/** What is asked of servers. */
interface Servers {
  facts: FactReader;
  manifests: ManifestReader;
}

/** Asks the servers for what the page didn't know, once. */
async function complete(row: VideoRow, { facts: reader, manifests }: Servers): Promise<void> {
  const { view } = row;
  const { kind, address, size, thumbnail, poster } = view.video;
  const [facts, manifest, picture] = await Promise.all([
    kind === "file" && size === undefined ? reader.video(address) : undefined,
    isManifest(kind) ? manifests.read(address) : undefined,
    thumbnail === undefined && poster !== undefined ? reader.picture(poster) : undefined,
  ]);
  if (manifest !== undefined) showManifest(row, manifest);
  if (facts !== undefined) row.open = facts.open;
  if (facts?.refused) view.trouble = "refused";
  view.video = {
    ...view.video,
    ...(facts?.size !== undefined && { size: facts.size }),
    ...(facts?.type !== undefined && { type: facts.type }),
    ...(picture !== undefined && { thumbnail: picture }),
  };
  draw(row);
}

function showManifest(row: VideoRow, manifest: Manifest): void {
  const { view } = row;
  view.manifest = manifest;
  row.open = manifest.open && !manifest.refused;
  if (manifest.refused) view.trouble = "refused";
  if (manifest.refusal !== undefined) view.picked = false;
}

/** What servers said when the page was searched before. */
function knownBefore(row: VideoRow | undefined): Partial<PageVideo> {
  const { size, thumbnail, type } = row?.view.video ?? {};
  return {
    ...(size !== undefined && { size }),
    ...(thumbnail !== undefined && { thumbnail }),
    ...(type !== undefined && { type }),
  };
}

function keyOf({ address, page, kind }: PageVideo): string {
  return `${page.frameId} ${kind} ${identityOf(address)}`;
}
