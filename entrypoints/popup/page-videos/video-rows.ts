/** The rows of the page's videos: drawn, and completed by what the videos' servers say. */
import { render } from "lit-html";
import type { PageVideo } from "../../shared/page-video.ts";
import { canBeTaken } from "../../shared/video-kind.ts";
import { originOf } from "../../shared/web-address.ts";
import { type FactReader, readFacts } from "./facts.ts";
import { type VideoView, videoTemplate } from "./row.ts";
import { watchVisibleRows } from "./visible-rows.ts";

export interface VideoRow {
  root: HTMLLIElement;
  view: VideoView;
  /** Whether it lies where the click on the toolbar button lets us read. */
  own: boolean;
  /** Whether its server has let us read it as anybody. */
  open: boolean;
}

export interface VideoRows {
  /** Those that can be taken. */
  takeable(): VideoRow[];
  draw(row: VideoRow): void;
  /**
   * Shows other videos in place of the ones before; a video that was among them stays picked and added.
   *
   * @param isWanted whether they are still to be shown, asked between two tasks
   * @returns whether all were shown
   */
  replace(videos: PageVideo[], pageOrigin: string, isWanted: () => boolean): Promise<boolean>;
  clear(): void;
}

/** Rows of one task: more would take longer than a frame. */
const ROWS_PER_TASK = 20;

/** @param onPick called when the person has picked a video, or takes that back */
export function createVideoRows(list: HTMLElement, onPick: () => void): VideoRows {
  let rows: VideoRow[] = [];
  let reader: FactReader | undefined;
  let made = 0;
  const visibleRows = watchVisibleRows(list, (root) => {
    const row = rows.find((each) => each.root === root);
    if (row !== undefined) void complete(row, reader);
  });

  function add(video: PageVideo, pageOrigin: string, before: VideoRow | undefined): void {
    made++;
    const row = makeRow({ id: `page-video-${made}`, video, pageOrigin, before, onPick });
    rows.push(row);
    draw(row);
    list.append(row.root);
    const { size, thumbnail, poster } = row.view.video;
    const isIncomplete = size === undefined || (thumbnail === undefined && poster !== undefined);
    if (video.kind === "file" && isIncomplete) visibleRows.watch(row.root);
  }

  function clear(): void {
    visibleRows.clear();
    rows = [];
    list.replaceChildren();
  }

  return {
    takeable: () => rows.filter(({ view }) => canBeTaken(view.video)),
    draw,
    clear,
    async replace(videos, pageOrigin, isWanted) {
      const before = new Map(rows.map((row) => [keyOf(row.view.video), row]));
      clear();
      reader = readFacts(pageOrigin);
      for (let at = 0; at < videos.length; at += ROWS_PER_TASK) {
        if (at > 0) await new Promise((resolve) => setTimeout(resolve));
        if (!isWanted()) return false;
        for (const video of videos.slice(at, at + ROWS_PER_TASK))
          add(video, pageOrigin, before.get(keyOf(video)));
      }
      return true;
    },
  };
}

function draw({ root, view }: VideoRow): void {
  render(videoTemplate(view), root);
}

interface RowContent {
  id: string;
  video: PageVideo;
  pageOrigin: string;
  /** The row of the same video, when the page was searched before. */
  before: VideoRow | undefined;
  onPick(): void;
}

function makeRow({ id, video, pageOrigin, before, onPick }: RowContent): VideoRow {
  const view: VideoView = {
    id,
    video: { ...knownBefore(before), ...video },
    pageOrigin,
    picked: before?.view.picked ?? false,
    added: before?.view.added ?? false,
    pick(picked) {
      view.picked = picked;
      onPick();
    },
  };
  return {
    root: document.createElement("li"),
    view,
    own: originOf(video.address) === pageOrigin,
    open: before?.open ?? false,
  };
}

/** Asks the servers for what the page didn't know, once. */
async function complete(row: VideoRow, reader: FactReader | undefined): Promise<void> {
  const { view } = row;
  const { address, size, thumbnail, poster } = view.video;
  const [facts, picture] = await Promise.all([
    size === undefined ? reader?.video(address) : undefined,
    thumbnail === undefined && poster !== undefined ? reader?.picture(poster) : undefined,
  ]);
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
  return `${page.frameId} ${kind} ${address}`;
}
