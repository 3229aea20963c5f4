/** What can be done with a finished upload: one thing at once, the rest when it is folded out. Pure. */
import { nothing, type TemplateResult } from "lit-html";
import type { Job } from "../shared/job.ts";
import { t } from "../shared/translate.ts";
import { kindOf } from "../shared/video-kind.ts";
import { html } from "./html.ts";
import { copyableId, type Links, linksOf } from "./links.ts";
import { type ButtonName, buttonLabel } from "./message-catalogue.ts";
import { button } from "./row-buttons.ts";
import type { RowView } from "./row-view.ts";

type Action = Extract<ButtonName, "open" | "copy-link" | "download" | "copy-asset-id" | "copy-playback-id">;

/** All that can be done with it, the best one first. */
function doneActions({ asset }: Job, { watch, download }: Links): Action[] {
  const link: Action[] = watch === undefined ? [] : ["open", "copy-link"];
  // A playlist is no page: players take its address.
  if (watch !== undefined && kindOf(watch) === "hls") link.reverse();
  return [
    ...link,
    ...(download === undefined ? [] : ["download" as const]),
    ...(copyableId(asset?.id) === undefined ? [] : ["copy-asset-id" as const]),
    ...(copyableId(asset?.playbackId) === undefined ? [] : ["copy-playback-id" as const]),
  ];
}

export function mainAction(view: RowView): TemplateResult | typeof nothing {
  const links = linksOfJob(view.job, view.playbackPage);
  const [first] = doneActions(view.job, links);
  return first === undefined
    ? nothing
    : html`<span class="buttons">${actionButton(view, links, first)}</span>`;
}

/** What More shows. */
export function doneDetails(view: RowView): TemplateResult {
  const links = linksOfJob(view.job, view.playbackPage);
  const [, ...others] = doneActions(view.job, links);
  return html`
    <p class="quiet">${t("list.processing")}</p>
    ${links.watch === undefined ? html`<p class="quiet">${t("row.noLink")}</p>` : nothing}
    <div class="buttons">
      ${others.map((name) => actionButton(view, links, name))}${button(view, "remove")}
    </div>
  `;
}

export function linksOfJob({ asset }: Job, playbackPage: string): Links {
  return asset === undefined ? {} : linksOf(asset, playbackPage);
}

function actionButton(view: RowView, { watch, download }: Links, name: Action): TemplateResult {
  const address = name === "open" ? watch : name === "download" ? download : undefined;
  if (address === undefined) return button(view, name);
  return html`<a class="button" href=${address} target="_blank" rel="noreferrer" aria-describedby="title-${view.job.id}"
    >${buttonLabel(name)}</a>`;
}
