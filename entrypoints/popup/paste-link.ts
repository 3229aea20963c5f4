/** Takes a link to a video: pasted anywhere on the page, or typed into its field. */

import { requestReading } from "../shared/host-permissions.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { t } from "../shared/translate.ts";
import { readLink } from "../shared/video-link.ts";
import { LINK_REFUSAL_KEYS } from "./page-videos/message-catalogue.ts";

export interface LinkField {
  /** Says why a video can't be taken. */
  refuse(why: string): void;
}

export interface LinkFieldOptions {
  form: HTMLFormElement;
  send(command: OffscreenCommand): void;
  /** Names a batch that is about to be handed over. */
  nameBatch(): string;
}

export function openLinkField({ form, send, nameBatch }: LinkFieldOptions): LinkField {
  const field = form.elements.namedItem("link") as HTMLInputElement;
  const problem = form.querySelector("[role=alert]") as HTMLElement;

  function refuse(why: string): void {
    problem.textContent = Object.hasOwn(LINK_REFUSAL_KEYS, why)
      ? t(LINK_REFUSAL_KEYS[why as keyof typeof LINK_REFUSAL_KEYS])
      : "";
  }

  function forgetProblem(): void {
    problem.textContent = "";
    field.ariaInvalid = null;
  }

  /** Handed over before the host is asked for: the browser's question may close the popup. */
  function take(text: string): void {
    const link = readLink(text);
    if ("refused" in link) {
      refuse(link.refused);
      field.ariaInvalid = "true";
      field.value = text;
      field.focus();
      return;
    }
    forgetProblem();
    field.value = "";
    send({ type: "addresses", batch: nameBatch(), videos: [link] });
    void requestReading([link.address]);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take(field.value);
  });
  form.addEventListener("input", forgetProblem);
  document.addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    const text = clipboardData?.getData("text/plain").trim() ?? "";
    const elsewhere = target instanceof Element && target.closest("input, textarea, select") !== null;
    if (elsewhere || text === "" || form.closest("[hidden]") !== null) return;
    event.preventDefault();
    take(text);
  });
  return { refuse };
}
