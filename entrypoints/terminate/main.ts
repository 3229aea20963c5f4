/** The window that confirms ending a session, has the background do it, and shows what came of it. */
import { isUpcutError, streamSegment } from "../../core/validate.ts";
import { element } from "../shared/elements.ts";
import { setProblem } from "../shared/form-field.ts";
import { requestHosts } from "../shared/host-permissions.ts";
import { callBackground } from "../shared/messages.ts";
import { type Outcome, outcomeOf, UNKNOWN, waitText } from "../shared/terminate-outcome.ts";
import { hostOf } from "../shared/web-address.ts";

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
    problem = input.value.trim() === "" ? "Enter the id of the stream." : "This can't be the id of a stream.";
  }
  setProblem(input, problem);
  return problem === undefined;
}

async function end(): Promise<void> {
  if (isBusy || countdown !== undefined) return;
  if (!check()) return input.focus();
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
    return UNKNOWN;
  }
}

function offerToAllow(origin: string): void {
  buttons.allow.textContent = `Allow ${hostOf(origin)} and end`;
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
  buttons.end.textContent = "Ending…";
  buttons.close.textContent = "Close";
  box.hidden = true;
}

function show(outcome: Outcome): void {
  const { tone, title, detail = "", quote = "", next, wait } = outcome;
  const isEnded = tone === "good";
  box.role = isEnded ? "status" : "alert";
  box.dataset.tone = tone;
  box.hidden = false;
  lines.title.textContent = title;
  lines.detail.textContent = detail;
  lines.quote.textContent = quote;
  consequence.hidden = true;
  input.readOnly = isEnded;
  buttons.close.textContent = "Close";
  buttons.close.className = isEnded ? "main" : "";
  buttons.options.hidden = next !== "options";
  buttons.options.className = next === "options" ? "main" : "";
  buttons.allow.hidden = next !== "allow";
  buttons.end.hidden = next !== "again" && next !== "id";
  buttons.end.textContent = next === "id" ? "End session" : "Try again";
  if (wait !== undefined) countDown(wait);
  ({ ...buttons, again: buttons.end, id: input })[next].focus();
  if (next === "id") input.select();
}

/** Offers another try once the service's pause is over. */
function countDown(seconds: number): void {
  const over = Date.now() + seconds * 1000;
  buttons.end.setAttribute("aria-disabled", "true");
  const tick = () => {
    const left = Math.ceil((over - Date.now()) / 1000);
    if (left > 0) {
      buttons.end.textContent = `Try again in ${waitText(left)}`;
      return;
    }
    clearInterval(countdown);
    countdown = undefined;
    buttons.end.setAttribute("aria-disabled", "false");
    buttons.end.textContent = "Try again";
    lines.detail.textContent = "You can try again now.";
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
if (input.value !== "" && check()) buttons.close.focus();
else input.select();
