/** How one upload looks, in each state. Pure: a template of what it is given. */
import { nothing, type TemplateResult } from "lit-html";
import { ifDefined } from "lit-html/directives/if-defined.js";
import { ACCEPT } from "../shared/choose-files.ts";
import { fractionOf } from "../shared/format.ts";
import { isAskedAbout, type Job, type JobState, knownSize } from "../shared/job.ts";
import { tracksLeftOut } from "../shared/tracks-left-out.ts";
import { t } from "../shared/translate.ts";
import { doneDetails, mainAction } from "./done-row.ts";
import { errorSentences, resumeSentence } from "./error-messages.ts";
import { html } from "./html.ts";
import { type IconName, icon } from "./icons.ts";
import {
  cancelledSentence,
  hostSentences,
  lostSentence,
  otherLengthSentence,
  refusedFileSentence,
} from "./message-catalogue.ts";
import { button, endQuestion, keyedButtons, tool } from "./row-buttons.ts";
import type { RowView } from "./row-view.ts";
import { stateLine } from "./state-line.ts";
import { stepsFor } from "./steps.ts";
import { uploadedBeforeSentence } from "./uploaded-before.ts";

export type { RowView } from "./row-view.ts";

export function rowTemplate(view: RowView): TemplateResult {
  const { job } = view;
  // The name is in the form then, so the row says which file it is.
  const title = view.form === undefined ? titleOf(job) : job.source.name;
  const { tools } = stepsFor(job, view.now);
  // While it is cancelled, nothing of its former state is true or can be done any more.
  const state = job.ending ? "cancelled" : job.state;
  return html`
    <div class="picture">${picture(job)}</div>
    <div class="what">
      <h3 id="title-${job.id}" dir="auto" title=${title}>${title}</h3>
      <p class="state ${state}">${stateIcon(state)}<span>${stateLine(view)}</span></p>
    </div>
    <div class="tools">${firstAction(view)}${keyedButtons(tools, (name) => tool(view, name))}</div>
    <div class="rest">${job.ending ? nothing : [bar(job), explanation(view)]}${view.form ?? nothing}${buttons(view)}</div>
  `;
}

/** The name it is uploaded with. */
export function titleOf({ fields }: Job): string {
  return fields.name;
}

/** What a row of one line offers in words; a draft's form has a button of its own. */
function firstAction(view: RowView): TemplateResult | typeof nothing {
  const { state } = view.job;
  if (state === "done") return mainAction(view);
  if (state !== "draft" || view.form !== undefined || isAskedAbout(view.job)) return nothing;
  return html`<span class="buttons">${button(view, "start")}</span>`;
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

const WITH_PROGRESS: ReadonlySet<JobState> = new Set(["requesting", "uploading", "waiting", "paused"]);

function bar({ state, source, progress, fields }: Job): TemplateResult | typeof nothing {
  if (!WITH_PROGRESS.has(state) && !(state.startsWith("needs") && progress.sent > 0)) return nothing;
  // Without a value it shows that something is happening.
  const size = knownSize(source);
  const value = state === "requesting" || size === undefined ? undefined : fractionOf(progress.sent, size);
  return html`<progress class=${state} max="1" value=${ifDefined(value)} aria-label=${fields.name}></progress>`;
}

function explanation(view: RowView): TemplateResult | typeof nothing {
  const { job, announcesErrors, note, isConfirmingEnd } = view;
  const sentences = sentencesOf(view);
  const failed = job.state === "failed";
  const isAlarming = failed || job.state === "asset-unknown";
  return html`
    ${job.state !== "done" ? quiet(tracksLeftOut(job.source, job.fields.language)) : nothing}
    ${sentences.length === 0 ? nothing : html`<p class=${failed ? "problem" : "quiet"} role=${ifDefined(isAlarming && announcesErrors ? "alert" : undefined)}>${sentences.join(" ")}</p>`}
    ${job.error === undefined ? nothing : quiet(resumeSentence(job.error, job.source.size))}
    ${job.refused === undefined ? nothing : html`<p class="problem" role="alert">${refusedFileSentence(job.source, job.refused)}</p>`}
    ${note === undefined ? nothing : html`<p class="problem" role="alert">${note}</p>`}
    ${isConfirmingEnd ? endQuestion(view) : nothing}
    ${job.state === "done" && view.isOpen ? doneDetails(view) : nothing}
  `;
}

function sentencesOf({ job }: RowView): string[] {
  switch (job.state) {
    case "draft":
      if (job.otherLength !== undefined) return [otherLengthSentence(job.otherLength)];
      if (job.uploadedBefore !== undefined) return [uploadedBeforeSentence(job.uploadedBefore)];
      return job.duplicateOf === undefined ? [] : [t("list.uploadingAlready")];
    case "needs-file":
      return [lostSentence(job)];
    case "needs-permission":
      return job.needs?.permission === "host"
        ? hostSentences(job.needs, job)
        : [t("row.allowAgain", { name: job.source.name })];
    case "asset-unknown":
    case "failed":
      return job.error === undefined ? [] : errorSentences(job.error, job);
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
  if (view.isConfirmingEnd) return nothing;
  // The form has a button to start with.
  const names = stepsFor(job, view.now).buttons.filter((name) => name !== "start" || view.form === undefined);
  if (names.length === 0) return nothing;
  const asksForFile = names.includes("choose-file");
  return html`<div class="buttons">
    ${keyedButtons(names, (name, place) => button(view, name, place === 0 ? "main" : ""))}
    ${
      asksForFile
        ? html`<input type="file" hidden accept=${ACCEPT.join()} aria-label=${t("row.fileOf", { name: job.fields.name })}
      @change=${(event: Event) => view.giveFile(event.target as HTMLInputElement)} />`
        : nothing
    }
  </div>`;
}
