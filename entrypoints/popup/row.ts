/** How one upload looks, in each state. Pure: a template of what it is given. */
import { html, nothing, type TemplateResult } from "lit-html";
import { ifDefined } from "lit-html/directives/if-defined.js";
import type { Job, JobState } from "../shared/job.ts";
import { ACCEPT } from "./choose.ts";
import { errorSentences, resumeSentence } from "./error-messages.ts";
import {
  formatBytes,
  formatDuration,
  formatPercent,
  formatSpeed,
  formatTimeLeft,
  fractionOf,
} from "./format.ts";
import { type IconName, icon } from "./icons.ts";
import { type Links, linksOf } from "./links.ts";
import {
  BUTTON_LABELS,
  type ButtonName,
  cancelledSentence,
  expectedFileSentence,
  hostSentences,
  lostBlobSentence,
  NO_LINK_MESSAGE,
  refusedFileSentence,
  STATE_LABELS,
  stateLabel,
  waitingSentence,
} from "./message-catalogue.ts";
import { stepsFor } from "./steps.ts";

/** What a row shows, beside the job itself. */
export interface RowView {
  job: Job;
  now: number;
  playbackPage: string;
  /** The draft's form, while it is one. */
  form?: Element;
  /** Whether its failure came while the page was open, and is to be announced. */
  announcesErrors?: boolean;
  /** Whether the person was asked if the upload shall end. */
  isConfirmingEnd?: boolean;
  /** What came of the last click, where the list doesn't tell. */
  note?: string;
  /** The button that has just copied. */
  copied?: ButtonName;
  act(button: ButtonName): void;
  giveFile(input: HTMLInputElement): void;
}

export function rowTemplate(view: RowView): TemplateResult {
  const { job } = view;
  const title = titleOf(job);
  const { tools } = stepsFor(job);
  return html`
    <div class="picture">${picture(job)}</div>
    <div class="what">
      <h3 id="title-${job.id}" title=${title}>${title}</h3>
      <p class="state ${job.state}">${stateIcon(job.state)}<span>${stateLine(view)}</span></p>
    </div>
    <div class="rest">${bar(job)}${explanation(view)}${view.form ?? nothing}${buttons(view)}</div>
    <div class="tools">
      ${tools.map(
        (
          name,
        ) => html`<button class="tool" type="button" title=${BUTTON_LABELS[name]} aria-label=${BUTTON_LABELS[name]}
          aria-describedby="title-${job.id}" @click=${() => view.act(name)}>${icon(name)}</button>`,
      )}
    </div>
  `;
}

/** The name the person gave it; a draft's is in its form, so the row says which file it is. */
export function titleOf({ state, source, fields }: Job): string {
  return state === "draft" ? source.name : fields.name;
}

function picture({ thumbnail, source }: Job): TemplateResult {
  if (thumbnail?.startsWith("data:image/")) return html`<img src=${thumbnail} alt="" />`;
  const ending = /\.(\w{1,4})$/.exec(source.name)?.[1] ?? "";
  return html`${icon("video")}<span>${ending.toUpperCase()}</span>`;
}

const ICONS: Partial<Record<JobState, IconName>> = {
  queued: "clock",
  requesting: "up",
  uploading: "up",
  waiting: "warn",
  paused: "pause",
  "needs-file": "warn",
  "needs-permission": "warn",
  "asset-unknown": "warn",
  done: "done",
  failed: "bad",
  cancelled: "ended",
};

function stateIcon(state: JobState): TemplateResult | typeof nothing {
  const name = ICONS[state];
  return name === undefined ? nothing : icon(name);
}

function stateLine({ job, now }: RowView): string {
  const { state, source, progress } = job;
  const size = source.size === undefined ? "" : formatBytes(source.size);
  const percent =
    source.size === undefined
      ? formatBytes(progress.sent)
      : formatPercent(fractionOf(progress.sent, source.size));
  switch (state) {
    case "draft":
      return listed(size, source.kind === "file" ? "" : source.host) || STATE_LABELS.draft;
    case "uploading": {
      if (source.size !== undefined && progress.sent >= source.size) return "Finishing…";
      const speed = formatSpeed(progress.speed);
      const left = (source.size ?? Number.NaN) - progress.sent;
      return listed(percent, speed, formatTimeLeft(left, progress.speed));
    }
    case "waiting":
      return job.waiting === undefined ? STATE_LABELS.waiting : waitingSentence(job.waiting, now);
    case "paused":
      return listed(
        STATE_LABELS.paused,
        progress.sent > 0 && (source.size === undefined ? percent : `${percent} of ${size}`),
      );
    case "done": {
      const time =
        job.outcome && !job.outcome.resumed ? `in ${formatDuration(job.outcome.duration / 1000)}` : "";
      return listed(STATE_LABELS.done, `${size} ${time}`.trim());
    }
    case "queued":
      return listed(STATE_LABELS.queued, size);
    default:
      return stateLabel(job);
  }
}

function listed(...parts: (string | false)[]): string {
  return parts.filter((part) => part !== "" && part !== false).join(" · ");
}

const WITH_PROGRESS: ReadonlySet<JobState> = new Set(["requesting", "uploading", "waiting", "paused"]);

function bar({ state, source, progress, fields }: Job): TemplateResult | typeof nothing {
  if (!WITH_PROGRESS.has(state) && !(state.startsWith("needs") && progress.sent > 0)) return nothing;
  // Without a value it shows that something is happening.
  const { size } = source;
  const value = state === "requesting" || size === undefined ? undefined : fractionOf(progress.sent, size);
  return html`<progress class=${state} max="1" value=${ifDefined(value)} aria-label=${fields.name}></progress>`;
}

function explanation(view: RowView): TemplateResult | typeof nothing {
  const { job, announcesErrors, note, isConfirmingEnd } = view;
  const sentences = sentencesOf(view);
  const failed = job.state === "failed";
  const isAlarming = failed || job.state === "asset-unknown";
  return html`
    ${sentences.length === 0 ? nothing : html`<p class=${failed ? "problem" : "quiet"} role=${ifDefined(isAlarming && announcesErrors ? "alert" : undefined)}>${sentences.join(" ")}</p>`}
    ${job.error === undefined ? nothing : quiet(resumeSentence(job.error, job.source.size))}
    ${job.refused === undefined ? nothing : html`<p class="problem" role="alert">${refusedFileSentence(job.source, job.refused)}</p>`}
    ${note === undefined ? nothing : html`<p class="problem" role="alert">${note}</p>`}
    ${isConfirmingEnd ? html`<p id="ending-${job.id}">End this upload? What was sent is lost, and its empty asset stays in the account.</p>` : nothing}
  `;
}

function sentencesOf({ job, playbackPage }: RowView): string[] {
  switch (job.state) {
    case "needs-file":
      return [
        job.source.kind === "file" ? expectedFileSentence(job.source) : lostBlobSentence(job.fields.name),
      ];
    case "needs-permission":
      return job.needs?.permission === "host"
        ? hostSentences(job.needs, job)
        : [`The browser was closed. Allow it to read “${job.source.name}” again.`];
    case "asset-unknown":
    case "failed":
      return job.error === undefined ? [] : errorSentences(job.error, job);
    case "done":
      return linksOfJob(job, playbackPage).watch === undefined ? [NO_LINK_MESSAGE] : [];
    case "cancelled":
      return [cancelledSentence(job)];
    default:
      return [];
  }
}

function quiet(sentence: string): TemplateResult | typeof nothing {
  return sentence === "" ? nothing : html`<p class="quiet">${sentence}</p>`;
}

function buttons(view: RowView): TemplateResult | typeof nothing {
  const { job } = view;
  if (view.isConfirmingEnd)
    return html`<div class="buttons">${button(view, "keep")}${button(view, "end-upload", "danger")}</div>`;
  if (job.state === "done") return doneButtons(view);
  const names = stepsFor(job).buttons;
  if (names.length === 0) return nothing;
  const asksForFile = names.includes("choose-file");
  return html`<div class="buttons">
    ${names.map((name, index) => button(view, name, index === 0 ? "main" : ""))}
    ${
      asksForFile
        ? html`<input type="file" hidden accept=${ACCEPT.join()} aria-label="The file of ${job.fields.name}"
      @change=${(event: Event) => view.giveFile(event.target as HTMLInputElement)} />`
        : nothing
    }
  </div>`;
}

function doneButtons(view: RowView): TemplateResult {
  const { job, playbackPage } = view;
  const { watch, download } = linksOfJob(job, playbackPage);
  return html`<div class="buttons">
    ${watch === undefined ? nothing : html`${link("open", watch, job)}${button(view, "copy-link")}`}
    ${download === undefined ? nothing : link("download", download, job)}
    ${job.asset === undefined ? nothing : button(view, "copy-asset-id")}
    ${job.asset?.playbackId === undefined ? nothing : button(view, "copy-playback-id")}
  </div>`;
}

function button({ job, copied, act }: RowView, name: ButtonName, kind = ""): TemplateResult {
  return html`<button class=${kind} type="button" aria-describedby="title-${job.id}"
    @click=${() => act(name)}>${copied === name ? "Copied" : BUTTON_LABELS[name]}</button>`;
}

function link(name: ButtonName, address: string, { id }: Job): TemplateResult {
  return html`<a class="button" href=${address} target="_blank" rel="noreferrer" aria-describedby="title-${id}"
    >${BUTTON_LABELS[name]}</a>`;
}

export function linksOfJob({ asset }: Job, playbackPage: string): Links {
  return asset === undefined ? {} : linksOf(asset, playbackPage);
}
