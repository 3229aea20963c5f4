/** The options page: fills the form in, saves it, checks the account, and asks for what the settings need. */

import { element } from "../shared/elements.ts";
import { isHostAllowed, onHostsChanged } from "../shared/host-permissions.ts";
import { localizePage } from "../shared/localize-page.ts";
import { setText } from "../shared/set-text.ts";
import {
  DEFAULT_SETTINGS,
  readAccount,
  readSettings,
  type Settings,
  saveSettings,
} from "../shared/settings.ts";
import { plural, t } from "../shared/translate.ts";
import { originOf } from "../shared/web-address.ts";
import type { NextStep } from "./account-check.ts";
import { withScheme } from "./checks.ts";
import { makeConnection } from "./connection.ts";
import { makeForgetDialog } from "./forget.ts";
import { makeSettingsForm } from "./form.ts";
import { makeNextStep } from "./next-step.ts";
import { showNotices } from "./notices.ts";
import { needsOf, request } from "./permissions.ts";
import { followFragment, openChangedSections, reveal } from "./sections.ts";
import { makeTokenField } from "./token-field.ts";

localizePage();

const form = element("options", HTMLFormElement);
const address = element("address", HTMLInputElement);
const terminatePath = element("path-terminate", HTMLInputElement);
const saveUnchecked = element("save-unchecked", HTMLButtonElement);
const saveButton = form.querySelector("[type=submit]") as HTMLElement;
const checkButton = element("check", HTMLButtonElement);
const settingsForm = makeSettingsForm(form);
const tokenField = makeTokenField();
const connection = makeConnection(takeNextStep);
const nextStep = makeNextStep();
let saved: Settings = DEFAULT_SETTINGS;
let hasToken = false;
let isChanged = false;
/** Whether the account is set up on this page for the first time: only then it is said what comes next. */
let isFirst = false;
/** The account that needs no check by itself: it passed one, or was there before, or the person wants none. */
let checked: string | undefined;

makeForgetDialog({
  onForgotten() {
    showAccount(false);
    tokenField.show(false);
    connection.hide();
    showStatus(t("forget.done"), "good");
    void showMissing();
  },
  onFailed: () => showStatus(t("forget.failed"), "bad"),
});

async function load(): Promise<void> {
  const { settings, token } = await readAccount();
  saved = settings;
  settingsForm.write(settings);
  tokenField.show(token !== "");
  checked = token === "" || settings.address === "" ? undefined : accountOf(settings);
  showAccount(token !== "");
  openChangedSections(settings);
  await showMissing();
}

/** What a check is about, beside the token. */
function accountOf({ address, paths }: Pick<Settings, "address" | "paths">): string {
  return JSON.stringify([address, paths.terminate]);
}

/** Shows the buttons that there is use for. */
function showAccount(isTokenSaved: boolean): void {
  hasToken = isTokenSaved;
  element("account-buttons", HTMLElement).hidden = saved.address === "" && !hasToken;
  checkButton.hidden = saved.address === "" || !hasToken;
  showWhetherChecked();
}

/** Offers to save without a check where a check would follow. */
function showWhetherChecked(): void {
  const isFilledIn = address.value !== "" && (!tokenField.isEntered() || tokenField.hasText());
  const paths = { ...saved.paths, terminate: terminatePath.value.trim() };
  const isOther =
    tokenField.isEntered() || accountOf({ address: withScheme(address.value), paths }) !== checked;
  const hadFocus = document.activeElement === saveUnchecked;
  saveUnchecked.hidden = !isChanged || !isFilledIn || !isOther;
  if (hadFocus && saveUnchecked.hidden) saveButton.focus();
}

function submit(isCheckWanted: boolean): void {
  const settings = settingsForm.read();
  const token = tokenField.read();
  // A saved token belongs to the service it was saved for, and must not reach another one.
  const isMoved = saved.address !== "" && settings && originOf(settings.address) !== originOf(saved.address);
  if (isMoved && token === "saved") tokenField.demand(t("problem.otherToken"));
  const wrong = form.querySelectorAll<HTMLElement>('[aria-invalid="true"]');
  if (settings === undefined || token === undefined || wrong.length > 0) {
    showStatus(plural("options.fix", wrong.length), "bad");
    for (const field of wrong) reveal(field);
    wrong[0]?.focus();
    return;
  }
  const asked = request(needsOf(settings));
  const given = token === "saved" ? undefined : token.token;
  const isOther = given !== undefined || accountOf(settings) !== checked;
  void save(settings, given, asked).then(async (isSaved) => {
    if (!isSaved) return;
    void asked.then(showMissing);
    if (isOther && isCheckWanted) await check(asked);
    else if (isOther) await trust(asked);
  });
}

async function save(settings: Settings, token: string | undefined, asked: Promise<void>): Promise<boolean> {
  try {
    await saveSettings(settings, token);
  } catch (error) {
    console.error(error);
    showStatus(t("options.notStored"), "bad");
    void asked.then(showMissing);
    return false;
  }
  if (token !== undefined) tokenField.show(true);
  isFirst ||= saved.address === "" || !hasToken;
  saved = await readSettings();
  address.value = saved.address;
  isChanged = false;
  showAccount(hasToken || token !== undefined);
  showStatus(t("options.saved"), "good");
  return true;
}

/** Checks what is saved; nothing of it is lost, whatever comes of that. */
async function check(asked: Promise<unknown>): Promise<void> {
  checked = undefined;
  const account = accountOf(saved);
  const result = await connection.check(saved.address, asked);
  if (result === undefined || result === "bad") return;
  checked = account;
  showWhetherChecked();
  if (isFirst) nextStep.show();
}

/** The person wants no check. */
async function trust(asked: Promise<void>): Promise<void> {
  checked = accountOf(saved);
  connection.hide();
  showWhetherChecked();
  await asked;
  if (isFirst && (await isHostAllowed(saved.address))) nextStep.show();
}

/** Asks for the host within the click, should it not be allowed. */
function checkAgain(): void {
  void check(request(needsOf(saved))).then(showMissing);
}

/** Within a click, and with the focus on what stays there. */
function takeNextStep(next: NextStep): void {
  if (next === "again") {
    checkButton.focus();
    checkAgain();
  } else if ("path" in next) {
    checkButton.focus();
    reveal(terminatePath);
    terminatePath.value = next.path;
    submit(true);
  } else if (next.field === "token") tokenField.replace();
  else {
    address.focus();
    address.select();
  }
  showWhetherChecked();
}

async function showMissing(): Promise<void> {
  await showNotices(needsOf(saved), () => saveButton.focus());
}

function showStatus(text: string, tone: "good" | "bad" | "quiet"): void {
  const status = element("status", HTMLParagraphElement);
  status.dataset.tone = tone;
  setText(status, text);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  submit(true);
});
saveUnchecked.addEventListener("click", () => submit(false));
checkButton.addEventListener("click", checkAgain);
form.addEventListener("input", ({ target }) => {
  // Videos are no setting.
  if ((target as HTMLInputElement).type === "file") return;
  isChanged = true;
  showStatus(t("options.notSavedYet"), "quiet");
  showWhetherChecked();
});
for (const id of ["token-replace", "token-keep"])
  element(id, HTMLButtonElement).addEventListener("click", showWhetherChecked);
window.addEventListener("beforeunload", (event) => {
  if (isChanged) event.preventDefault();
});
// Both can change elsewhere: Chrome's own page of the extension, a second tab with the options.
onHostsChanged({
  onAdded() {
    void showMissing();
    if (connection.lacksHost()) checkAgain();
  },
  onRemoved: () => void showMissing(),
});
chrome.storage.onChanged.addListener(async (_changes, area) => {
  if (area !== "local") return;
  const now = await readSettings();
  if (JSON.stringify(now) === JSON.stringify(saved)) return;
  // What is being filled in stays; but the saved token is that of the service saved now.
  if (isChanged) saved = now;
  else await load();
});
// Of a text field the browser shows the line of the caret alone, and the rest may be under the bar.
document.addEventListener("keyup", ({ key, target }) => {
  if (key === "Tab" && target instanceof Element && target.closest("main") !== null)
    target.scrollIntoView({ block: "nearest" });
});
// What gets the focus must not end up under the bar, which grows with its notices.
const bar = element("bar", HTMLElement);
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--under-bar", `${bar.offsetHeight + 24}px`);
}).observe(bar);

await load();
if (saved.address === "") {
  element("title", HTMLElement).textContent = t("connection.welcome");
  address.focus();
}
followFragment();
