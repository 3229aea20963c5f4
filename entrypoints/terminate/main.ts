/** The window that confirms ending a stream, has the background do it, and shows what came of it. */
import { isUpcutError, streamSegment } from "../../core/validate.ts";
import { element } from "../shared/elements.ts";
import { setProblem } from "../shared/form-field.ts";
import { requestHosts } from "../shared/host-permissions.ts";
import { localizePage } from "../shared/localize-page.ts";
import { callBackground } from "../shared/messages.ts";
import { plainText } from "../shared/plain-text.ts";
import { setText } from "../shared/set-text.ts";
import { type Outcome, outcomeOf, unknown, waitText } from "../shared/terminate-outcome.ts";
import { t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";

localizePage();

const form = element("terminate", HTMLFormElement);
const input = element("id", HTMLInputElement);
const consequence = element("consequence", HTMLElement);
const box = element("outcome", HTMLElement);
const lines = {
  title: element("outcome-title", HTMLElement),
  detail: element("outcome-detail", HTMLElement),
  quote: element("outcome-quote", HTMLElement),
};
const buttons = {
  close: element("close", HTMLButtonElement),
  options: element("options", HTMLButtonElement),
  allow: element("allow", HTMLButtonElement),
  end: element("end", HTMLButtonElement),
};
let isBusy = false;
let countdown: ReturnType<typeof setInterval> | undefined;
/** The stream of which it is unknown what became of its session. */
let openId: string | undefined;

/** Whether the field holds what core accepts; says beside it what is wrong. */
function check(): boolean {
  let problem: string | undefined;
  try {
    streamSegment(input.value);
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    problem = t(input.value.trim() === "" ? "problem.noStreamId" : "problem.streamId");
  }
  setProblem(input, problem);
  return problem === undefined;
}

/** The same once the field is left to itself: what it doesn't show of an id must not be sent either. */
function checkAsShown(): boolean {
  if (!check()) return false;
  const shown = plainText(input.value);
  if (shown !== input.value) input.value = shown;
  return check();
}

async function end(): Promise<void> {
  if (isBusy || countdown !== undefined) return;
  if (!checkAsShown()) return input.focus();
  setBusy(true);
  const id = input.value.trim();
  const outcome = await attempt(id);
  if (outcome.isOpen) openId = id;
  else if (outcome.tone === "good") openId = undefined;
  setBusy(false);
  show(outcome);
}

async function attempt(id: string): Promise<Outcome> {
  try {
    const response = await callBackground("terminate-stream", { id });
    if ("missing" in response && response.missing === "host") offerToAllow(response.origin);
    return outcomeOf(response, id === openId);
  } catch (error) {
    console.warn("No response from the background", error);
    return unknown();
  }
}

function offerToAllow(origin: string): void {
  setText(buttons.allow, t("terminate.allowAndEnd", { host: hostOf(origin) }));
  // The browser asks only within the click.
  buttons.allow.onclick = async () => {
    if (await requestHosts([origin])) await end();
  };
}

function setBusy(busy: boolean): void {
  isBusy = busy;
  input.readOnly = busy;
  buttons.end.setAttribute("aria-disabled", String(busy));
  form.setAttribute("aria-busy", String(busy));
  if (!busy) return;
  buttons.options.hidden = true;
  buttons.allow.hidden = true;
  buttons.end.hidden = false;
  buttons.end.focus();
  buttons.end.textContent = t("terminate.ending");
  buttons.close.textContent = t("terminate.close");
  box.hidden = true;
}

function show(outcome: Outcome): void {
  const { tone, title, detail = "", quote = "", next, wait } = outcome;
  const isEnded = tone === "good";
  box.role = isEnded ? "status" : "alert";
  box.dataset.tone = tone;
  box.hidden = false;
  setText(lines.title, title);
  setText(lines.detail, detail);
  lines.quote.textContent = quote;
  consequence.hidden = true;
  input.readOnly = isEnded;
  buttons.close.textContent = t("terminate.close");
  buttons.close.className = isEnded ? "main" : "";
  buttons.options.hidden = next !== "options";
  buttons.options.className = next === "options" ? "main" : "";
  buttons.allow.hidden = next !== "allow";
  buttons.end.hidden = next !== "again" && next !== "id";
  buttons.end.textContent = t(next === "id" ? "terminate.end" : "terminate.tryAgain");
  if (wait !== undefined) countDown(wait);
  ({ ...buttons, again: buttons.end, id: input })[next].focus();
  // In a low window only a part of the page is in sight.
  box.scrollIntoView({ block: "nearest" });
  if (next === "id") input.select();
}

/** Offers another try once the service's pause is over. */
function countDown(wait: number): void {
  const over = Date.now() + wait;
  buttons.end.setAttribute("aria-disabled", "true");
  const tick = () => {
    const left = over - Date.now();
    if (left > 0) {
      setText(buttons.end, t("terminate.tryAgainIn", { time: waitText(left) }));
      return;
    }
    clearInterval(countdown);
    countdown = undefined;
    buttons.end.setAttribute("aria-disabled", "false");
    buttons.end.textContent = t("terminate.tryAgain");
    lines.detail.textContent = t("terminate.tryNow");
  };
  countdown = setInterval(tick, 250);
  tick();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  // Enter in the field submits even while the button isn't there.
  if (!buttons.end.hidden) void end();
});
input.addEventListener("input", check);
buttons.close.addEventListener("click", () => window.close());
buttons.options.addEventListener("click", async () => {
  await chrome.runtime.openOptionsPage();
  window.close();
});
document.addEventListener("keydown", ({ key }) => {
  // A request that is under way can't be taken back; closing now would only hide what comes of it.
  if (key === "Escape" && !isBusy) window.close();
});

input.value = new URLSearchParams(location.search).get("id") ?? "";
// Nothing can be ended by mistake before there is an id.
if (input.value !== "" && checkAsShown()) buttons.close.focus();
else input.select();
