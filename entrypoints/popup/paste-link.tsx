/** Takes a link to a video: pasted anywhere on the page, or typed into its field, which comes when it is asked for. */
import { batch, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { LINK_REFUSAL_KEYS } from "../page-videos/message-catalogue.ts";
import { requestReading } from "../reach/host-permissions.ts";
import { hasFiles } from "../shared/choose-files.ts";
import { t } from "../shared/translate.ts";
import { pageAt, readLink } from "../shared/video-link.ts";
import { Button, Form } from "../view/actions.tsx";
import { expectTaken } from "./handing-over.ts";
import { send } from "./offscreen-connection.ts";

const isOpen = signal(false);
/** The pasted text that can't be taken, to be corrected. */
const text = signal("");
const problem = signal("");
/** The page that it leads to instead of a video. */
const page = signal<{ address: string; isCertain: boolean } | undefined>(undefined);

export function refuseLink(why: string, given = ""): void {
  if (!Object.hasOwn(LINK_REFUSAL_KEYS, why)) return;
  batch(() => {
    isOpen.value = true;
    page.value = undefined;
    text.value = given;
    problem.value = t(LINK_REFUSAL_KEYS[why as keyof typeof LINK_REFUSAL_KEYS]);
  });
}

/**
 * Handed over before the host is asked for: the browser's question may close the popup.
 *
 * @param isVideo the person says so. @default false, so that its address has to
 */
function take(given: string, isVideo = false): void {
  const link = readLink(given);
  if ("refused" in link) {
    refuseLink(link.refused, given);
    return;
  }
  const instead = isVideo ? undefined : pageAt(link.address);
  if (instead !== undefined) {
    refuseLink("page", given);
    page.value = { address: link.address, isCertain: instead === "page" };
    return;
  }
  batch(() => {
    isOpen.value = false;
    text.value = "";
    problem.value = "";
    page.value = undefined;
  });
  send({ type: "addresses", batch: expectTaken(), videos: [link] });
  void requestReading([link.address]);
}

function onPaste(event: ClipboardEvent): void {
  const { target, clipboardData } = event;
  const pasted = clipboardData?.getData("text/plain").trim() ?? "";
  const isElsewhere = target instanceof Element && target.closest("input, textarea, select") !== null;
  if (isElsewhere || pasted === "" || hasFiles(clipboardData)) return;
  event.preventDefault();
  take(pasted);
}

export function PasteLink(): VNode {
  useEffect(() => {
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);
  return (
    <Button
      id="paste-link"
      class="plain"
      words={t("popup.pasteLink")}
      aria-expanded={isOpen.value}
      act={() => {
        isOpen.value = !isOpen.peek();
      }}
    />
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
    <Form id="link-form" class="field" submit={() => take(text.peek())}>
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
          page.value = undefined;
        }}
      />
      <Button words={t("popup.add")} />
      <p id="link-problem" class="problem" role="alert">
        {problem.value}
      </p>
      {page.value && <PageInstead {...page.value} />}
    </Form>
  );
}

function PageInstead({ address, isCertain }: { address: string; isCertain: boolean }): VNode {
  return (
    <div class="buttons">
      <Button words={t("link.open")} act={() => chrome.tabs.create({ url: address })} />
      {!isCertain && <Button words={t("link.anyway")} act={() => take(text.peek(), true)} />}
    </div>
  );
}
