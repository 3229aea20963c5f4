/** What is shown of an upload that can't be drawn: it can be told apart and removed, and hides no other. */
import type { TemplateResult } from "lit-html";
import { t } from "../shared/translate.ts";
import { html } from "./html.ts";
import { icon } from "./icons.ts";
import { buttonLabel } from "./message-catalogue.ts";
import type { RowView } from "./row.ts";

export function fallbackTemplate({ job: { id }, act }: RowView): TemplateResult {
  const remove = buttonLabel("remove");
  return html`
    <div class="picture">${icon("bad")}</div>
    <div class="what"><h3 id="title-${id}">${t("row.notShown")}</h3></div>
    <div class="tools">
      <button class="tool" type="button" data-act="remove" title=${remove} aria-label=${remove}
        aria-describedby="title-${id}" @click=${() => act("remove")}>${icon("remove")}</button>
    </div>
  `;
}
