/** The settings of all drafts at once, in a form above the list. */
import type { Job } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { t } from "../shared/translate.ts";
import { createDraftForm, goTo } from "./draft-form.ts";

export interface AllDrafts {
  /** Offers the form where it is of use. */
  show(drafts: number): void;
}

export interface AllDraftsOptions {
  find(id: string): HTMLElement;
  /** Hides what is of no use now, and moves the focus. */
  hide(id: string, hidden: boolean): void;
  send(command: OffscreenCommand): void;
  /** The draft whose settings the form begins with. */
  firstDraft(): Job | undefined;
}

export function createAllDrafts({ find, hide, send, firstDraft }: AllDraftsOptions): AllDrafts {
  const button = find("edit-all");
  const place = find("all-drafts");

  function close(): void {
    place.hidden = true;
    place.replaceChildren();
    button.ariaExpanded = "false";
  }

  function open({ fields }: Job): void {
    let edited = fields;
    const form = createDraftForm({
      prefix: "all-drafts",
      fields,
      forAll: t("list.applyToAll"),
      // Nothing is sent before the person says so.
      edit: (fields) => {
        edited = fields;
      },
      start() {
        const [wrong] = form.check();
        if (wrong !== undefined) {
          goTo(wrong);
          return;
        }
        form.flush();
        const { name: _, ...settings } = edited;
        send({ type: "edit-drafts", fields: settings });
        close();
        button.focus();
      },
    });
    place.replaceChildren(form.element);
    place.hidden = false;
    button.ariaExpanded = "true";
    form.element.querySelector("input")?.focus();
  }

  button.addEventListener("click", () => {
    const draft = firstDraft();
    if (place.hidden && draft !== undefined) open(draft);
    else close();
  });
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
    button.focus();
  });

  return {
    show(drafts) {
      const isOfUse = drafts > 1;
      if (!isOfUse && !place.hidden) close();
      hide("edit-all", !isOfUse);
    },
  };
}
