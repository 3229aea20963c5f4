/** Takes a link to a video: pasted anywhere on the page, or typed into its field, which comes when it is asked for. */
import { batch, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { requestReading } from "../shared/host-permissions.ts";
import { t } from "../shared/translate.ts";
import { readLink } from "../shared/video-link.ts";
import { expectTaken } from "./handing-over.ts";
import { send } from "./offscreen-connection.ts";
import { LINK_REFUSAL_KEYS } from "./page-videos/message-catalogue.ts";

const isOpen = signal(false);
/** What was pasted and can't be taken, to be corrected. */
const text = signal("");
const problem = signal("");

/** Says why a video can't be taken. */
export function refuseLink(why: string, given = ""): void {
  if (!Object.hasOwn(LINK_REFUSAL_KEYS, why)) return;
  batch(() => {
    isOpen.value = true;
    text.value = given;
    problem.value = t(LINK_REFUSAL_KEYS[why as keyof typeof LINK_REFUSAL_KEYS]);
  });
}

/** Handed over before the host is asked for: the browser's question may close the popup. */
function take(given: string): void {
  const link = readLink(given);
  if ("refused" in link) {
    refuseLink(link.refused, given);
    return;
  }
  batch(() => {
    isOpen.value = false;
    text.value = "";
    problem.value = "";
  });
  send({ type: "addresses", batch: expectTaken(), videos: [link] });
  void requestReading([link.address]);
}

function onPaste(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  const pasted = clipboardData?.getData("text/plain").trim() ?? "";
  const isElsewhere = target instanceof Element && target.closest("input, textarea, select") !== null;
  if (isElsewhere || pasted === "") return;
  event.preventDefault();
  take(pasted);
}

/** The link that leads to the field. */
export function PasteLink(): VNode {
  useEffect(() => {
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
  return (
    <button
      id="paste-link"
      class="plain"
      type="button"
      aria-expanded={isOpen.value}
      onClick={() => {
        isOpen.value = !isOpen.peek();
      }}
    >
      {t("popup.pasteLink")}
    </button>
  );
}

export function LinkForm(): VNode | null {
  const field = useRef<HTMLInputElement>(null);
  const isShown = isOpen.value;
  useLayoutEffect(() => {
    if (isShown) field.current?.focus();
  }, [isShown, problem.value]);
  if (!isShown) return null;
  return (
    <form
      id="link-form"
      class="field"
      novalidate
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        take(text.peek());
      }}
    >
      <input
        ref={field}
        name="link"
        type="url"
        dir="auto"
        value={text.value}
        placeholder="https://"
        aria-label={t("popup.link")}
        aria-describedby="link-problem"
        aria-invalid={problem.value !== "" || undefined}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          problem.value = "";
        }}
      />
      <button type="submit">{t("popup.add")}</button>
      <p id="link-problem" class="problem" role="alert">
        {problem.value}
      </p>
    </form>
  );
}
