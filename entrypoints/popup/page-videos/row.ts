/** How a video of the page looks in the list. Pure: a template of what it is given. */
import { nothing, type TemplateResult } from "lit-html";
import { ifDefined } from "lit-html/directives/if-defined.js";
import type { KnownVideo, PageVideo } from "../../shared/page-video.ts";
import { plainText } from "../../shared/plain-text.ts";
import { tracksLeftOut } from "../../shared/tracks-left-out.ts";
import { t } from "../../shared/translate.ts";
import { canBeTaken, isManifest } from "../../shared/video-kind.ts";
import { html } from "../html.ts";
import { icon } from "../icons.ts";
import type { Manifest, Quality } from "./manifest.ts";
import {
  facts,
  foreignHost,
  KNOWN_KEYS,
  kindLabel,
  reasonKey,
  VIDEO_PROBLEM_KEYS,
} from "./message-catalogue.ts";

export interface VideoView {
  id: string;
  video: PageVideo;
  /** The origin of the page in front, whichever frame it was found in. */
  pageOrigin: string;
  picked: boolean;
  /** Whether it was handed over. */
  added: boolean;
  /** Whether it need not be handed over again. */
  known?: KnownVideo;
  /** What its manifest says, once it was read: for a video in pieces. */
  manifest?: Manifest;
  /** The id of the quality that the person has chosen. */
  quality?: string;
  /** The id of the language that the person has chosen. */
  language?: string;
  /** What keeps it from being read: its server, or the page that it was in and that is gone. */
  trouble?: "refused" | "gone";
  pick(picked: boolean): void;
  choose(what: "quality" | "language", id: string): void;
}

/** Whether it can be uploaded, as far as is known by now. */
export function isTakeable({ video, manifest }: Pick<VideoView, "video" | "manifest">): boolean {
  return canBeTaken(video) && !video.isUncertain && manifest?.refusal === undefined;
}

function hasChoice({ manifest }: VideoView): boolean {
  return manifest !== undefined && manifest.qualities.length > 1;
}

/** The quality that is taken of a video in pieces, where its manifest was read. */
export function chosenQuality({ manifest, quality }: VideoView): Quality | undefined {
  return manifest?.qualities.find(({ id }) => id === quality) ?? manifest?.qualities[0];
}

export function videoTemplate(view: VideoView): TemplateResult {
  const { id, video, picked, added, known, trouble } = view;
  const done = added ? t("found.added") : known === undefined ? undefined : t(KNOWN_KEYS[known]);
  const line = facts(video, chosenQuality(view), hasChoice(view));
  const left = tracksLeftOut(view.manifest ?? {}, view.language);
  const host = foreignHost(video, view.pageOrigin);
  const what = html`
    <span class="picture">${picture(video)}</span>
    <span class="what">
      <span class="title" id="title-${id}" dir="auto" title=${video.title}>${video.title}</span>
      <span class="facts" id="facts-${id}" ?data-wraps=${isManifest(video.kind)}
        ><span class="kind">${kindLabel(video)}</span>${line === "" ? nothing : html` · ${line}`}</span>
      ${left === "" ? nothing : html`<span class="facts" id="left-${id}" data-wraps>${left}</span>`}
      ${host === undefined ? nothing : html`<span class="host" dir="auto">${host}</span>`}
      ${done === undefined ? nothing : html`<span class="added" id="done-${id}">${icon("done")}${done}</span>`}
    </span>`;
  if (!isTakeable(view)) {
    const reason = reasonKey(video, view.manifest?.refusal);
    return html`<div class="video">${what}<p class="reason">${reason === undefined ? nothing : t(reason)}</p></div>`;
  }
  return html`<label class="video">
      <input type="checkbox" .checked=${picked} aria-labelledby="title-${id}" aria-describedby="facts-${id} left-${id} done-${id}"
        @change=${(event: Event) => view.pick((event.target as HTMLInputElement).checked)} />${what}
    </label>
    ${choices(view)}
    ${trouble === undefined ? nothing : html`<p class="problem" role=${ifDefined(trouble === "gone" ? "alert" : undefined)}>${t(VIDEO_PROBLEM_KEYS[trouble])}</p>`}`;
}

/** Outside the label: a click on them picks nothing. */
function choices(view: VideoView): TemplateResult | typeof nothing {
  const { qualities = [], languages = [] } = view.manifest ?? {};
  if (qualities.length < 2 && languages.length < 2) return nothing;
  return html`<div class="choices">
    ${choice(view, "quality", qualities, chosenQuality(view)?.id)}
    ${choice(view, "language", languages, view.language ?? languages[0]?.id)}
  </div>`;
}

function choice(
  { id, choose }: VideoView,
  what: "quality" | "language",
  offered: readonly { id: string; label: string }[],
  chosen: string | undefined,
): TemplateResult | typeof nothing {
  if (offered.length < 2) return nothing;
  const name = t(what === "quality" ? "found.quality" : "found.sound");
  return html`<label><span id="${what}-${id}">${name}</span>
    <select aria-labelledby="${what}-${id} title-${id}"
      @change=${({ target }: Event) => choose(what, (target as HTMLSelectElement).value)}
      >${offered.map(
        ({ id, label }) => html`<option value=${id} .selected=${id === chosen}>${plainText(label)}</option>`,
      )}</select></label>`;
}

/** Small pictures of our own making alone: a page's may be of any size. */
function picture({ thumbnail }: PageVideo): TemplateResult {
  if (!thumbnail?.startsWith("data:image/")) return icon("video");
  return html`${icon("video")}<img src=${thumbnail} alt="" loading="lazy" decoding="async"
    @error=${({ target }: Event) => (target as HTMLImageElement).remove()} />`;
}
