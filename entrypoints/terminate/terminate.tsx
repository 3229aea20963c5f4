/** The window that asks before a stream is ended, has the background end it, and shows what came of it. */

import { batch, computed, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { plainText, streamSegment } from "../../core/extension.ts";
import { requestHosts } from "../reach/host-permissions.ts";
import { logName } from "../shared/fault.ts";
import { isRefused } from "../shared/is-refused.ts";
import type { HostNeed } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import { type Outcome, outcomeOf, waitText } from "../shared/terminate-outcome.ts";
import { t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";
import { Button, Form } from "../view/actions.tsx";
import { Details } from "../view/details.tsx";
import { mountPage } from "../view/mount-page.ts";
import { focusOn, TextField } from "../view/text-field.tsx";

const id = signal(plainText(new URLSearchParams(location.search).get("id") ?? ""));
/** A mistake in an id is told once there is one. */
const isChecked = signal(id.value !== "");
const isBusy = signal(false);
const outcome = signal<Outcome | undefined>();
/** Milliseconds until another try is allowed. */
const wait = signal(0);
/** The origin that the browser has to allow, as the background told it. */
let needs: HostNeed | undefined;
/** The stream of which it is unknown what became of its session. */
let unknownId: string | undefined;

const mistake = computed(() => {
  if (!isRefused(() => streamSegment(id.value))) return undefined;
  return t(id.value.trim() === "" ? "problem.noStreamId" : "problem.streamId");
});

async function end(): Promise<void> {
  if (isBusy.value || wait.value > 0) return;
  isChecked.value = true;
  // The field doesn't show every character, and only what is seen may be sent.
  if (mistake.value === undefined) id.value = plainText(id.value);
  if (mistake.value !== undefined) return document.getElementById("id")?.focus();
  batch(() => {
    isBusy.value = true;
    outcome.value = undefined;
  });
  const sent = id.value.trim();
  const response = await callBackground("terminate-stream", { id: sent }).catch(logName);
  if (response && "missing" in response && response.missing !== "settings") needs = response.missing;
  const came = outcomeOf(response, sent === unknownId);
  if (came.isUnknown) unknownId = sent;
  else if (came.tone === "good") unknownId = undefined;
  batch(() => {
    isBusy.value = false;
    outcome.value = came;
    if (came.wait !== undefined) countDown(came.wait);
  });
}

/** The service may ask for a pause before another try. */
function countDown(pause: number): void {
  const over = performance.now() + pause;
  const timer = setInterval(tick, 250);
  function tick(): void {
    wait.value = Math.max(0, over - performance.now());
    if (wait.value === 0) clearInterval(timer);
  }
  tick();
}

/** The browser asks only within the click. */
async function allowAndEnd(): Promise<void> {
  if (needs !== undefined && (await requestHosts([needs.origin]))) await end();
}

async function openOptions(): Promise<void> {
  await chrome.runtime.openOptionsPage();
  window.close();
}

function endLabel(): string {
  if (isBusy.value) return t("terminate.ending");
  if (wait.value > 0) return t("terminate.tryAgainIn", { time: waitText(wait.value) });
  return t(outcome.value?.next === "again" ? "terminate.tryAgain" : "terminate.end");
}

function NextButton(): VNode | null {
  switch (outcome.value?.next) {
    case "close":
      return null;
    case "options":
      return <Button id="options" class="main" words={t("terminate.options")} act={openOptions} />;
    case "allow":
      return (
        <Button
          id="allow"
          class="main"
          words={t("terminate.allowAndEnd", { host: hostOf(needs?.origin ?? "") })}
          act={allowAndEnd}
        />
      );
    case "id":
    case "again":
    case undefined:
      return (
        <Button id="end" class="danger" words={endLabel()} aria-disabled={isBusy.value || wait.value > 0} />
      );
  }
}

function OutcomeLine({ tone, title, detail, quote, next, isUnknown }: Outcome): VNode {
  return (
    <div id="outcome" class="told">
      <p role={tone === "good" ? "status" : "alert"} data-tone={tone}>
        {title}
      </p>
      {isUnknown && next === "again" && <p role="alert">{t("terminate.tryAgainEnds")}</p>}
      <Details sentence={detail} quote={quote} />
    </div>
  );
}

function TerminateWindow(): VNode {
  const { next, tone } = outcome.value ?? {};
  const isEnded = tone === "good";
  const focus = isBusy.value || next === "again" ? "end" : next;
  useLayoutEffect(() => {
    if (focus === undefined) return;
    focusOn(focus);
    // In a low window only a part of the page is in sight.
    document.getElementById("outcome")?.scrollIntoView({ block: "nearest" });
  }, [focus, outcome.value]);
  return (
    <Form
      aria-busy={isBusy.value}
      // Enter in the field submits even while the button isn't there.
      submit={() => document.getElementById("end") && end()}
    >
      <main>
        <h1>{t("terminate.heading")}</h1>
        <TextField
          id="id"
          class="code"
          label={t("terminate.id")}
          text={id.value}
          onText={(text) => {
            id.value = text;
            isChecked.value = true;
          }}
          problem={isChecked.value ? mistake.value : undefined}
          readOnly={isBusy.value || isEnded}
          required
        />
        {outcome.value ? (
          <OutcomeLine {...outcome.value} />
        ) : (
          <p class="quiet">{t("terminate.consequence")}</p>
        )}
      </main>
      <footer>
        <Button
          id="close"
          class={isEnded ? "main" : ""}
          words={t(outcome.value || isBusy.value ? "terminate.close" : "terminate.cancel")}
          act={() => window.close()}
        />
        <NextButton />
      </footer>
    </Form>
  );
}

document.addEventListener("keydown", ({ key }) => {
  // A request that is under way can't be taken back; closing now would only hide what comes of it.
  if (key === "Escape" && !isBusy.value) window.close();
});
mountPage(t("terminate.title"), <TerminateWindow />);
// Nothing can be ended by mistake before there is an id.
focusOn(isChecked.value && mistake.value === undefined ? "close" : "id");
