/** How a video of the page looks in the list. Pure: a template of what it is given. */
import { html, nothing, type TemplateResult } from "lit-html";
import { ifDefined } from "lit-html/directives/if-defined.js";
import type { PageVideo } from "../../shared/page-video.ts";
import { canBeTaken } from "../../shared/video-kind.ts";
import { icon } from "../icons.ts";
import { facts, foreignHost, kindLabel, REASONS, VIDEO_PROBLEMS } from "./message-catalogue.ts";

export interface VideoView {
  id: string;
  video: PageVideo;
  /** The origin of the page in front, whichever frame it was found in. */
  pageOrigin: string;
  picked: boolean;
  /** Whether it was handed over. */
  added: boolean;
  /** What keeps it from being read: its server, or the page that it was in and that is gone. */
  trouble?: "refused" | "gone";
  pick(picked: boolean): void;
}

export function videoTemplate(view: VideoView): TemplateResult {
  const { id, video, picked, added, trouble } = view;
  const line = facts(video);
  const host = foreignHost(video, view.pageOrigin);
  const what = html`
    <span class="picture">${picture(video)}</span>
    <span class="what">
      <span class="title" id="title-${id}" title=${video.title}>${video.title}</span>
      <span class="facts" id="facts-${id}"
        ><span class="kind">${kindLabel(video)}</span>${line === "" ? nothing : html` · ${line}`}</span>
      ${host === undefined ? nothing : html`<span class="host">${host}</span>`}
      ${added ? html`<span class="added">${icon("done")}Added to the uploads</span>` : nothing}
    </span>`;
  if (!canBeTaken(video)) {
    return html`<div class="video">${what}<p class="reason">${REASONS[video.kind]}</p></div>`;
  }
  return html`<label class="video">
      <input type="checkbox" .checked=${picked} aria-labelledby="title-${id}" aria-describedby="facts-${id}"
        @change=${(event: Event) => view.pick((event.target as HTMLInputElement).checked)} />${what}
    </label>
    ${trouble === undefined ? nothing : html`<p class="problem" role=${ifDefined(trouble === "gone" ? "alert" : undefined)}>${VIDEO_PROBLEMS[trouble]}</p>`}`;
}

function picture({ thumbnail, poster }: PageVideo): TemplateResult {
  const source = thumbnail ?? poster;
  if (source === undefined) return icon("video");
  return html`${icon("video")}<img src=${source} alt="" loading="lazy" decoding="async"
    @error=${({ target }: Event) => (target as HTMLImageElement).remove()} />`;
}
