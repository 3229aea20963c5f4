/** The section of the page's videos: found when the popup opens, chosen by ticking, handed over by one button. */
import { element } from "../../shared/elements.ts";
import { setText } from "../../shared/set-text.ts";
import { plural, t } from "../../shared/translate.ts";
import { collectFrom, type NotSearched, type PageFindings } from "./collect.ts";
import { listClosedFrames } from "./frames.ts";
import { type HandOverOptions, handOverVideos } from "./hand-over.ts";
import { announcement, countSentence, stateSentence } from "./message-catalogue.ts";
import { createPicker } from "./picker.ts";
import { createVideoRows, type VideoRow, type VideoRowsOptions } from "./video-rows.ts";
import { createWhy } from "./why.ts";

export interface PageVideos {
  /** Looks for the videos of a tab, and shows them. */
  lookInto(tabId: number): Promise<void>;
  /** There is somebody to hand videos over to. */
  enable(): void;
}

export interface PageVideosOptions extends Omit<HandOverOptions, "draw">, Pick<VideoRowsOptions, "lookUp"> {
  surface: "popup" | "tab" | "panel";
}

export function createPageVideos({ surface, send, nameBatch, lookUp }: PageVideosOptions): PageVideos {
  const state = element("page-videos-state", HTMLParagraphElement);
  const spoken = element("page-videos-found", HTMLParagraphElement);
  const note = element("page-videos-note", HTMLParagraphElement);
  const lookAgain = element("look-again", HTMLButtonElement);
  const { rows, show, showNothing } = createFindings({ surface, lookAgain, lookUp, onPick: showPicked });
  const picker = createPicker({
    onPickAll(all, picked) {
      pick(all, picked, rows.draw);
      showPicked();
    },
    onUpload: () => void handOver(),
  });
  let isEnabled = false;
  let lookedInto: number | undefined;
  let isClosed = false;
  /** Counts the searches: what an earlier one still brings is no longer wanted. */
  let searches = 0;

  function showPicked(): void {
    picker.show(rows.takeable(), isEnabled);
  }

  async function search(tabId: number): Promise<void> {
    const mine = ++searches;
    const isWanted = () => mine === searches;
    const again = () => void search(tabId);
    state.textContent = t("found.looking");
    for (const each of [note, spoken]) each.textContent = "";
    const found = await collectFrom(tabId, surface);
    if (!isWanted()) return;
    isClosed = found === "press";
    if (typeof found === "string") return showNothing(found, again);
    let shown: PageFindings | undefined = found;
    while (shown !== undefined && (await show(shown, again, isWanted))) {
      const more: PageFindings | undefined = await shown.more?.();
      if (!isWanted()) return;
      setText(spoken, announcement(more ?? shown));
      shown = more;
    }
  }

  async function handOver(): Promise<void> {
    const chosen = rows.takeable().filter(({ view }) => view.picked);
    if (!isEnabled || chosen.length === 0) return;
    const handingOver = handOverVideos(chosen, { send, nameBatch, draw: rows.draw });
    showPicked();
    setText(note, await handingOver);
  }

  lookAgain.addEventListener("click", () => {
    if (lookedInto !== undefined) void search(lookedInto);
  });
  return {
    async lookInto(tabId) {
      lookedInto = tabId;
      // The row that had the focus goes.
      if (element("page-videos-list", HTMLUListElement).contains(document.activeElement)) lookAgain.focus();
      await search(tabId);
    },
    enable() {
      isEnabled = true;
      showPicked();
      // Comes whenever a page of the extension is opened: a popup, by the click that lets us look.
      if (surface === "panel" && isClosed && lookedInto !== undefined) void search(lookedInto);
    },
  };
}

interface FindingsOptions extends Pick<PageVideosOptions, "surface" | "lookUp"> {
  lookAgain: HTMLButtonElement;
  onPick(): void;
}

/** What a search brings, as it is shown. */
function createFindings({ surface, lookAgain, lookUp, onPick }: FindingsOptions) {
  const list = element("page-videos-list", HTMLUListElement);
  const loops = element("background-loops", HTMLDetailsElement);
  const state = element("page-videos-state", HTMLParagraphElement);
  const title = element("page-videos-title", HTMLHeadingElement);
  const showFrames = listClosedFrames(element("closed-frames", HTMLUListElement), lookAgain);
  const why = createWhy(lookAgain);
  const loopList = element("background-loops-list", HTMLUListElement);
  const rows = createVideoRows({ list, loopList, onPick, lookUp });

  function showNothing(reason: NotSearched, again: () => void): void {
    rows.clear();
    setText(state, stateSentence(reason));
    why.show(reason);
    for (const each of [list, loops]) each.hidden = true;
    showFrames([], again);
    onPick();
  }

  /** @returns whether all of it is shown */
  async function show(found: PageFindings, again: () => void, isWanted: () => boolean): Promise<boolean> {
    const wasEmpty = rows.takeable().length === 0;
    if (surface === "tab") setText(title, t("found.titleOf", { page: found.pageTitle }));
    setText(state, countSentence(found));
    why.show(undefined);
    list.hidden = found.videos.length === 0;
    loops.hidden = found.loops.length === 0;
    setText(element("background-loops-title", HTMLElement), plural("search.loops", found.loops.length));
    showFrames(found.closedOrigins, again);
    if (!(await rows.replace(found, isWanted))) return false;
    if (wasEmpty) pickOnly(rows.takeable(), rows.draw);
    onPick();
    return true;
  }

  return { rows, show, showNothing };
}

/** The only video there is to take is what the person came for. */
function pickOnly(takeable: VideoRow[], draw: (row: VideoRow) => void): void {
  const [only, ...others] = takeable.filter(({ isLoop }) => !isLoop);
  if (only === undefined || others.length > 0 || only.view.added || only.view.known !== undefined) return;
  pick([only], true, draw);
}

function pick(rows: VideoRow[], picked: boolean, draw: (row: VideoRow) => void): void {
  for (const row of rows) {
    row.view.picked = picked;
    draw(row);
  }
}
