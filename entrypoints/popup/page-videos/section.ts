/** The section of the page's videos: found when the popup opens, chosen by ticking, handed over by one button. */
import { render } from "lit-html";
import { element } from "../../shared/elements.ts";
import { formatCount } from "../../shared/figures.ts";
import type { OffscreenAsk } from "../../shared/messages.ts";
import type { PageVideo } from "../../shared/page-video.ts";
import { allowReading } from "../../shared/reading-permission.ts";
import { sendBlob } from "../../shared/send-blob.ts";
import { lookInto } from "./collect.ts";
import { type FactReader, readFacts } from "./facts.ts";
import { canBeTaken } from "./found.ts";
import { listClosedFrames } from "./frames.ts";
import { watchGlances } from "./glance.ts";
import { type VideoView, videoTemplate } from "./row.ts";
import { addressesAsk } from "./take.ts";
import { refusedSentence, SECTION_WORDS } from "./words.ts";

export interface PageVideos {
  /** Looks for the videos of a tab, and shows them. */
  lookInto(tabId: number): Promise<void>;
  /** There is somebody to hand videos over to. */
  enable(): void;
}

export interface PageVideosOptions {
  inTab: boolean;
  tell(ask: OffscreenAsk): void;
  /** Names a batch that is about to be handed over. */
  handOver(): string;
}

interface Row {
  root: HTMLLIElement;
  view: VideoView;
  /** Whether it lies where the click on the toolbar button lets us read. */
  own: boolean;
  /** Whether its server has let us read it as anybody. */
  open: boolean;
}

/** Rows of one task: more would take longer than a frame. */
const AT_ONCE = 20;

export function createPageVideos({ inTab, tell, handOver }: PageVideosOptions): PageVideos {
  const list = element("page-videos-list", HTMLUListElement);
  const state = element("page-videos-state", HTMLParagraphElement);
  const note = element("page-videos-note", HTMLParagraphElement);
  const pickAll = element("pick-all", HTMLInputElement);
  const uploadButton = element("upload-picked", HTMLButtonElement);
  let rows: Row[] = [];
  let reader: FactReader | undefined;
  let pageOrigin = "";
  let enabled = false;
  /** Counts the looks: what an earlier one still brings is no longer wanted. */
  let look = 0;
  const lookAgain = element("look-again", HTMLButtonElement);
  const showFrames = listClosedFrames(element("closed-frames", HTMLUListElement), lookAgain);
  const glances = watchGlances(list, (root) => {
    const row = rows.find((each) => each.root === root);
    if (row !== undefined) void learn(row);
  });

  function draw({ root, view }: Row): void {
    render(videoTemplate(view), root);
  }

  function add(video: PageVideo, before: Row | undefined): void {
    const root = document.createElement("li");
    const view: VideoView = {
      id: `page-video-${look}-${rows.length}`,
      video: { ...learned(before), ...video },
      pageOrigin,
      picked: before?.view.picked ?? false,
      added: before?.view.added ?? false,
      pick(picked) {
        view.picked = picked;
        showPicked();
      },
    };
    const row: Row = {
      root,
      view,
      own: originOf(video.address) === pageOrigin,
      open: before?.open ?? false,
    };
    rows.push(row);
    draw(row);
    list.append(root);
    const { size, thumbnail, poster } = view.video;
    const asks = size === undefined || (thumbnail === undefined && poster !== undefined);
    if (video.kind === "file" && asks) glances.await(root);
  }

  /** Asks the servers for what the page didn't know, once. */
  async function learn(row: Row): Promise<void> {
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

  function showPicked(): void {
    const takeable = rows.filter(({ view }) => canBeTaken(view.video));
    const picked = takeable.filter(({ view }) => view.picked);
    element("page-videos-take", HTMLDivElement).hidden = takeable.length === 0;
    pickAll.checked = picked.length === takeable.length;
    pickAll.indeterminate = picked.length > 0 && picked.length < takeable.length;
    pickAll.closest("label")?.toggleAttribute("hidden", takeable.length < 2);
    uploadButton.textContent =
      picked.length === 0 ? "Upload" : `Upload ${formatCount(picked.length, "video")}`;
    // Not disabled: that would take the focus away from it.
    uploadButton.ariaDisabled = String(!enabled || picked.length === 0);
  }

  async function show(tabId: number): Promise<void> {
    const mine = ++look;
    const again = () => void show(tabId);
    state.textContent = SECTION_WORDS.looking;
    note.textContent = "";
    const found = await lookInto(tabId);
    if (mine !== look) return;
    glances.clear();
    const before = new Map(rows.map((row) => [keyOf(row.view.video), row]));
    rows = [];
    list.replaceChildren();
    if (typeof found === "string") {
      state.textContent = SECTION_WORDS[found === "closed" && inTab ? "away" : found];
      list.hidden = true;
      showFrames([], again);
      return showPicked();
    }
    const { videos, closedOrigins, origin, pageTitle } = found;
    pageOrigin = origin;
    reader = readFacts(origin);
    if (inTab) element("page-videos-title", HTMLHeadingElement).textContent = `Videos on “${pageTitle}”`;
    state.textContent = videos.length === 0 ? SECTION_WORDS.none : String(videos.length);
    list.hidden = videos.length === 0;
    showFrames(closedOrigins, again);
    for (let at = 0; at < videos.length; at += AT_ONCE) {
      if (at > 0) await new Promise((resolve) => setTimeout(resolve));
      if (mine !== look) return;
      for (const video of videos.slice(at, at + AT_ONCE)) add(video, before.get(keyOf(video)));
    }
    const takeable = rows.filter(({ view }) => canBeTaken(view.video));
    const [only] = takeable;
    if (takeable.length === 1 && only !== undefined && !only.view.added) {
      only.view.picked = true;
      draw(only);
    }
    showPicked();
  }

  /** Everything is handed over within the click: a question of the browser may close the popup. */
  async function take(): Promise<void> {
    const chosen = rows.filter(({ view }) => view.picked && canBeTaken(view.video));
    if (!enabled || chosen.length === 0) return;
    const files = chosen.filter(({ view }) => view.video.kind === "file");
    const unread = files.flatMap(({ view, own, open }) => (own || open ? [] : [view.video.address]));
    if (files.length > 0)
      tell(
        addressesAsk(
          handOver(),
          files.map(({ view, open }) => ({ ...view.video, open })),
        ),
      );
    const asked = unread.length === 0 || allowReading(unread);
    for (const row of chosen) {
      const { view } = row;
      view.picked = false;
      view.added = view.video.kind === "file";
      delete view.trouble;
      draw(row);
      if (view.video.kind === "blob") void takeBlob(row);
    }
    showPicked();
    note.textContent = (await asked) ? "" : refusedSentence(unread);
  }

  async function takeBlob(row: Row): Promise<void> {
    const { view } = row;
    // Reading a large one takes its time; whether it was sent is told here.
    view.added = await sendBlob(crypto.randomUUID(), view.video);
    if (!view.added) view.trouble = "gone";
    draw(row);
  }

  pickAll.addEventListener("change", () => {
    for (const row of rows) {
      row.view.picked = pickAll.checked && canBeTaken(row.view.video);
      draw(row);
    }
    showPicked();
  });
  uploadButton.addEventListener("click", () => void take());

  return {
    async lookInto(tabId) {
      lookAgain.addEventListener("click", () => void show(tabId));
      await show(tabId);
    },
    enable() {
      enabled = true;
      showPicked();
    },
  };
}

/** What servers said at an earlier look. */
function learned(row: Row | undefined): Partial<PageVideo> {
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

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "";
}
