/** The section of the page's videos: found when the popup opens, chosen by ticking, handed over by one button. */
import { element } from "../../shared/elements.ts";
import { formatCount } from "../format.ts";
import { collectFrom } from "./collect.ts";
import { listClosedFrames } from "./frames.ts";
import { type HandOverOptions, handOverVideos } from "./hand-over.ts";
import { SECTION_MESSAGES } from "./message-catalogue.ts";
import { createVideoRows, type VideoRow } from "./video-rows.ts";

export interface PageVideos {
  /** Looks for the videos of a tab, and shows them. */
  lookInto(tabId: number): Promise<void>;
  /** There is somebody to hand videos over to. */
  enable(): void;
}

export interface PageVideosOptions extends Omit<HandOverOptions, "draw"> {
  inTab: boolean;
}

export function createPageVideos({ inTab, send, nameBatch }: PageVideosOptions): PageVideos {
  const list = element("page-videos-list", HTMLUListElement);
  const state = element("page-videos-state", HTMLParagraphElement);
  const note = element("page-videos-note", HTMLParagraphElement);
  const lookAgain = element("look-again", HTMLButtonElement);
  const showFrames = listClosedFrames(element("closed-frames", HTMLUListElement), lookAgain);
  const rows = createVideoRows(list, showPicked);
  const picker = createPicker((picked) => {
    for (const row of rows.takeable()) {
      row.view.picked = picked;
      rows.draw(row);
    }
    showPicked();
  });
  let isEnabled = false;
  /** Counts the searches: what an earlier one still brings is no longer wanted. */
  let searches = 0;

  function showPicked(): void {
    picker.show(rows.takeable(), isEnabled);
  }

  async function search(tabId: number): Promise<void> {
    const mine = ++searches;
    const isWanted = () => mine === searches;
    const again = () => void search(tabId);
    state.textContent = SECTION_MESSAGES.looking;
    note.textContent = "";
    const found = await collectFrom(tabId);
    if (!isWanted()) return;
    if (typeof found === "string") {
      rows.clear();
      state.textContent = SECTION_MESSAGES[found === "closed" && inTab ? "away" : found];
      list.hidden = true;
      showFrames([], again);
      return showPicked();
    }
    const { videos, closedOrigins, origin, pageTitle } = found;
    if (inTab) element("page-videos-title", HTMLHeadingElement).textContent = `Videos on “${pageTitle}”`;
    state.textContent = videos.length === 0 ? SECTION_MESSAGES.none : String(videos.length);
    list.hidden = videos.length === 0;
    showFrames(closedOrigins, again);
    if (!(await rows.replace(videos, origin, isWanted))) return;
    pickOnly(rows.takeable(), rows.draw);
    showPicked();
  }

  async function handOver(): Promise<void> {
    const chosen = rows.takeable().filter(({ view }) => view.picked);
    if (!isEnabled || chosen.length === 0) return;
    const handingOver = handOverVideos(chosen, { send, nameBatch, draw: rows.draw });
    showPicked();
    note.textContent = await handingOver;
  }

  element("upload-picked", HTMLButtonElement).addEventListener("click", () => void handOver());
  return {
    async lookInto(tabId) {
      lookAgain.addEventListener("click", () => void search(tabId));
      await search(tabId);
    },
    enable() {
      isEnabled = true;
      showPicked();
    },
  };
}

/** The only video there is to take is what the person came for. */
function pickOnly(takeable: VideoRow[], draw: (row: VideoRow) => void): void {
  const [only, ...others] = takeable;
  if (only === undefined || others.length > 0 || only.view.added) return;
  only.view.picked = true;
  draw(only);
}

/** The bar below the list: picks all, and says how many are picked. */
function createPicker(onPickAll: (picked: boolean) => void) {
  const bar = element("page-videos-take", HTMLDivElement);
  const pickAll = element("pick-all", HTMLInputElement);
  const uploadButton = element("upload-picked", HTMLButtonElement);
  pickAll.addEventListener("change", () => onPickAll(pickAll.checked));
  return {
    show(takeable: VideoRow[], isEnabled: boolean): void {
      const count = takeable.filter(({ view }) => view.picked).length;
      bar.hidden = takeable.length === 0;
      pickAll.checked = count === takeable.length;
      pickAll.indeterminate = count > 0 && count < takeable.length;
      pickAll.closest("label")?.toggleAttribute("hidden", takeable.length < 2);
      uploadButton.textContent = count === 0 ? "Upload" : `Upload ${formatCount(count, "video")}`;
      // Not disabled: that would take the focus away from it.
      uploadButton.ariaDisabled = String(!isEnabled || count === 0);
    },
  };
}
