/** The buttons of a row, and the question before an upload is ended. Pure. */
import type { TemplateResult } from "lit-html";
import { ifDefined } from "lit-html/directives/if-defined.js";
import { repeat } from "lit-html/directives/repeat.js";
import { t } from "../shared/translate.ts";
import { html } from "./html.ts";
import { type IconName, icon } from "./icons.ts";
import { type ButtonName, buttonLabel } from "./message-catalogue.ts";
import type { RowView } from "./row-view.ts";

/** A button with words. */
export function button({ job, copied, act }: RowView, name: ButtonName, kind = ""): TemplateResult {
  return html`<button class=${kind} type="button" data-act=${name} aria-describedby="title-${job.id}"
    @click=${() => act(name)}>${copied === name ? t("button.copied") : buttonLabel(name)}</button>`;
}

/** Small buttons at the row's edge. */
export type ToolName = Extract<ButtonName, IconName>;

/** Those that fold something out, named after it. */
const OPENS: ReadonlySet<ButtonName> = new Set(["more", "edit"]);

export function tool({ job, isOpen, act }: RowView, name: ToolName): TemplateResult {
  const expanded = OPENS.has(name) ? `${isOpen === true}` : undefined;
  return html`<button class="tool" type="button" data-act=${name} title=${buttonLabel(name)}
    aria-label=${buttonLabel(name)} aria-expanded=${ifDefined(expanded)}
    aria-describedby="title-${job.id}" @click=${() => act(name)}>${icon(name)}</button>`;
}

/** Buttons side by side, none of which ever turns into another one: a key may be pressed on it just then. */
export function keyedButtons<Name extends ButtonName>(
  names: Name[],
  make: (name: Name, place: number) => TemplateResult,
): unknown {
  return repeat(names, (name) => name, make);
}

/** The harmless answer comes first. */
export function endQuestion(view: RowView): TemplateResult {
  const { id } = view.job;
  return html`<div class="question" role="group" aria-labelledby="ending-${id}" aria-describedby="title-${id}">
    <p id="ending-${id}">${t("row.endQuestion")}</p>
    <div class="buttons">${answer(view, "keep")}${answer(view, "end-upload", "danger")}</div>
  </div>`;
}

function answer({ job: { id }, act }: RowView, name: ButtonName, kind = ""): TemplateResult {
  return html`<button class=${kind} type="button" data-act=${name} aria-describedby="ending-${id} title-${id}"
    @click=${() => act(name)}>${buttonLabel(name)}</button>`;
}
