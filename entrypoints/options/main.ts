/** The options page: fills the form in, saves it, and asks for what the settings need. */

import { element } from "../shared/elements.ts";
import {
  DEFAULT_SETTINGS,
  readAccount,
  readSettings,
  type Settings,
  saveSettings,
} from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";
import { makeSettingsForm } from "./form.ts";
import { missing, type Need, needsOf, request } from "./permissions.ts";
import { makeTokenField } from "./token-field.ts";

const form = element("options", HTMLFormElement);
const settingsForm = makeSettingsForm(form);
const tokenField = makeTokenField();
let saved: Settings = DEFAULT_SETTINGS;
let isChanged = false;

async function load(): Promise<void> {
  const { settings, token } = await readAccount();
  saved = settings;
  settingsForm.write(settings);
  tokenField.show(token !== "");
  if (settings.address === "") element("address", HTMLInputElement).focus();
  await showMissing();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const settings = settingsForm.read();
  const token = tokenField.read();
  // A saved token belongs to the service it was saved for, and must not reach another one.
  const isMoved = saved.address !== "" && settings && originOf(settings.address) !== originOf(saved.address);
  if (isMoved && token === "saved") tokenField.demand("This is another service. Paste its token.");
  const wrong = form.querySelectorAll<HTMLElement>('[aria-invalid="true"]');
  if (settings === undefined || token === undefined || wrong.length > 0) {
    showStatus(`Not saved. Fix ${wrong.length} ${wrong.length === 1 ? "field" : "fields"}.`, "bad");
    wrong[0]?.focus();
    return;
  }
  const requesting = request(needsOf(settings));
  void save(settings, token === "saved" ? undefined : token.token, requesting);
});

async function save(settings: Settings, token: string | undefined, requesting: Promise<void>): Promise<void> {
  try {
    await saveSettings(settings, token);
    if (token !== undefined) tokenField.show(true);
  } catch (error) {
    console.error(error);
    showStatus("Not saved: the browser couldn't store the settings. Is the disk full?", "bad");
    return;
  }
  saved = await readSettings();
  element("address", HTMLInputElement).value = saved.address;
  isChanged = false;
  showStatus("Saved", "good");
  await requesting;
  await showMissing();
}

async function showMissing(): Promise<void> {
  const notices = (await missing(needsOf(saved))).map(makeNotice);
  element("notices", HTMLUListElement).replaceChildren(...notices);
}

function makeNotice(need: Need): HTMLElement {
  const notice = document.createElement("li");
  const lack = Object.assign(document.createElement("span"), { textContent: need.lack });
  const allow = Object.assign(document.createElement("button"), { type: "button", textContent: need.button });
  allow.addEventListener("click", () => {
    void request([need])
      .then(showMissing)
      .then(() => {
        if (!allow.isConnected) form.querySelector<HTMLElement>(".save > button")?.focus();
      });
  });
  notice.append(lack, allow);
  return notice;
}

function showStatus(text: string, tone: "good" | "bad" | "quiet"): void {
  const status = element("status", HTMLParagraphElement);
  status.dataset.tone = tone;
  status.textContent = text;
}

form.addEventListener("input", () => {
  isChanged = true;
  showStatus("Not saved yet", "quiet");
});
window.addEventListener("beforeunload", (event) => {
  if (isChanged) event.preventDefault();
});
// Both can change elsewhere: Chrome's own page of the extension, a second tab with the options.
chrome.permissions.onAdded.addListener(() => void showMissing());
chrome.permissions.onRemoved.addListener(() => void showMissing());
chrome.storage.onChanged.addListener(async (_changes, area) => {
  if (area !== "local") return;
  const now = await readSettings();
  if (JSON.stringify(now) === JSON.stringify(saved)) return;
  // What is being filled in stays; but the saved token is that of the service saved now.
  if (isChanged) saved = now;
  else await load();
});
// What gets the focus must not end up under the bar, which grows with its notices.
const bar = element("bar", HTMLElement);
new ResizeObserver(() => {
  document.documentElement.style.scrollPaddingBlock = `24px ${bar.offsetHeight + 24}px`;
}).observe(bar);

void load();
