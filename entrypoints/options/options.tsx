/** The options: two fields until an account is connected; then the account in a line, and the settings folded away. */
import { batch, computed, signal } from "@preact/signals";
import { Fragment, type VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { decodeOrKeep } from "../../core/extension.ts";
import { onHostsChanged } from "../reach/host-permissions.ts";
import type { CheckOutcome } from "../shared/account-check.ts";
import { knownAccount } from "../shared/known-account.ts";
import {
  type Account,
  isConnected as hasAccount,
  readAccount,
  SECTIONS,
  saveSettings,
} from "../shared/settings.ts";
import { plural, t } from "../shared/translate.ts";
import { hostOf } from "../shared/web-address.ts";
import { Button, Form } from "../view/actions.tsx";
import { askService, Connect } from "../view/connect.tsx";
import { Details } from "../view/details.tsx";
import { mountPage } from "../view/mount-page.ts";
import { refusedSettingSentence } from "../view/refused-settings.ts";
import { focusSoon } from "../view/request-form.tsx";
import { RetryOffer } from "../view/retry-offer.tsx";
import { Control } from "./controls.tsx";
import { ForgetDialog } from "./forget.tsx";
import { check, differs, fill, isChanged, saved, settingsIn } from "./form.ts";
import { NextStep } from "./next-step.tsx";
import { commandUploads, followOffered, offeredUploads } from "./offered-uploads.ts";
import { missing, type Need, needsOf, request } from "./permissions.ts";

const account = signal<Account>(await readAccount());
const known = signal(await knownAccount(account.peek()));
/** A row of the list leads to the token's field. */
const isEntering = signal(location.hash === "#token");
/** True if the account was connected on this page: only then it is said what comes next. */
const isNew = signal(false);
const isForgetting = signal(false);
const isChecking = signal(false);
const outcome = signal<CheckOutcome | undefined>();
/** Needs of the settings that the browser doesn't allow yet. */
const lacking = signal<Need[]>([]);
const saving = signal<
  "" | "asking" | "saved" | "not-stored" | "forgotten" | "not-forgotten" | { wrong: number }
>("");

const isConnected = computed(() => hasAccount(account.value));

/** The one status line. Saved is good only once nothing that was asked for is missing. */
const status = computed((): { text: string; tone: "good" | "bad" | "quiet" } => {
  const at = saving.value;
  if (typeof at === "object") return { text: plural("options.fix", at.wrong), tone: "bad" };
  if (at === "not-stored") return { text: t("options.notStored"), tone: "bad" };
  if (at === "not-forgotten") return { text: t("forget.failed"), tone: "bad" };
  if (at === "forgotten") return { text: t("forget.done"), tone: "good" };
  if (at === "asking") return { text: t("connection.allowing"), tone: "quiet" };
  if (isChanged.value) return { text: t("options.notSavedYet"), tone: "quiet" };
  if (at !== "saved") return { text: "", tone: "quiet" };
  const isWhole = lacking.value.length === 0 && outcome.value?.tone !== "bad";
  return { text: t("options.saved"), tone: isWhole ? "good" : "quiet" };
});

async function load(): Promise<void> {
  const now = await readAccount();
  known.value = await knownAccount(now);
  account.value = now;
  // A form that is being edited keeps its values.
  if (isChanged.value) saved.value = now.settings;
  else fill(now.settings);
  await findLacking();
}

async function findLacking(): Promise<void> {
  lacking.value = await missing(needsOf(saved.value));
}

/** Within the click: the browser asks at no other time. */
async function allow(needs: Need[]): Promise<void> {
  await request(needs);
  await findLacking();
}

async function save(): Promise<void> {
  const read = check();
  if ("wrong" in read) {
    saving.value = { wrong: read.wrong.length };
    for (const each of read.wrong) reveal(each);
    (read.wrong[0] as HTMLElement | undefined)?.focus();
    return;
  }
  const { settings } = read;
  const after = { ...saved.value, ...settings };
  saving.value = "asking";
  const asked = request(needsOf(after));
  const former = saved.value.paths.terminate;
  try {
    await saveSettings(settings);
    fill(after);
  } catch (error) {
    console.error(error);
    saving.value = "not-stored";
    return;
  }
  await asked;
  await load();
  if (settings.paths.terminate !== former) await checkAccount();
  saving.value = "saved";
}

async function checkAccount(): Promise<void> {
  isChecking.value = true;
  outcome.value = undefined;
  outcome.value = await askService(saved.value);
  isChecking.value = false;
}

function onConnected(found: CheckOutcome): void {
  batch(() => {
    isNew.value ||= !isEntering.value;
    isEntering.value = false;
    outcome.value = found;
    saving.value = "";
  });
  void load();
  void followOffered();
}

function keepAccount(): void {
  isEntering.value = false;
  focusSoon("change");
}

function onForgetEnd(isForgotten: boolean | undefined): void {
  isForgetting.value = false;
  focusSoon("forget");
  if (isForgotten === undefined) return;
  saving.value = isForgotten ? "forgotten" : "not-forgotten";
  void load();
}

function AccountLine(): VNode {
  const { address, accountName } = account.value.settings;
  const current = known.value;
  const found = outcome.value;
  // The button that had the focus is gone once the account is connected.
  useLayoutEffect(() => {
    if (found === undefined || document.activeElement !== document.body) return;
    document.getElementById(isNew.value ? "choose" : "change")?.focus();
  }, [found]);
  return (
    <section aria-labelledby="account">
      <div class="account">
        <div>
          <h2 id="account">{accountName || hostOf(address)}</h2>
          {current && (
            <p class="quiet">
              {accountName && `${hostOf(address)} · `}
              {t("options.tokenEnding", { ending: current.ending })}
            </p>
          )}
        </div>
        <p role="status" data-tone={found?.tone}>
          {isChecking.value
            ? t("connection.asking", { host: hostOf(address) })
            : found?.tone !== "bad" && found?.text}
        </p>
        <div class="buttons">
          <Button
            id="check"
            words={t("connection.check")}
            act={() => allow(needsOf(saved.value)).then(checkAccount)}
          />
          <Button
            id="change"
            words={t("connection.change")}
            act={() => {
              isEntering.value = true;
            }}
          />
          <Button
            id="forget"
            class="danger"
            words={t("options.forget")}
            aria-haspopup="dialog"
            act={() => {
              isForgetting.value = true;
            }}
          />
        </div>
      </div>
      {found?.tone === "bad" && (
        <p role="alert" class="problem">
          {found.text}
        </p>
      )}
      <Details quote={found?.quote} />
      <RetryOffer
        jobs={offeredUploads.value}
        account={current}
        isMain={!isChanged.value}
        send={commandUploads}
      />
      {isNew.value && <NextStep />}
    </section>
  );
}

function SettingsForm(): VNode {
  return (
    <Form id="options" submit={save}>
      {SECTIONS.map((section) => (
        <details class="section" data-section={section} key={section}>
          <summary>
            <h2 id={section}>{t(`options.${section}`)}</h2>
            {differs(section) && <span class="hint">{t("options.changed")}</span>}
          </summary>
          <div class="fields">
            {settingsIn(section).map((name) => (
              <Control key={name} name={name} />
            ))}
          </div>
        </details>
      ))}
      <footer id="bar">
        {account.value.refused.length > 0 && (
          <p id="refused" class="notice">
            <span>{refusedSettingSentence(account.value.refused)}</span>
          </p>
        )}
        {lacking.value.map((need) => (
          <p key={need.button} class="notice">
            <span>{need.lack}</span>
            <Button words={need.button} act={() => allow([need])} />
          </p>
        ))}
        <div class="save">
          <p id="status" role="status" data-tone={status.value.tone}>
            {status.value.text}
          </p>
          <Button class={isChanged.value ? "main" : ""} words={t("options.save")} />
        </div>
      </footer>
    </Form>
  );
}

function OptionsPage(): VNode {
  const isFirst = !isConnected.value;
  return (
    <main>
      <header>
        <h1>{t(isFirst ? "connection.welcome" : "options.title")}</h1>
        {isFirst && <p class="quiet">{t("description")}</p>}
      </header>
      {isFirst || isEntering.value ? (
        <Fragment key="connect">
          {saving.value === "forgotten" && <p role="status">{t("forget.done")}</p>}
          <Connect onConnected={onConnected} {...(!isFirst && { onCancel: keepAccount })} />
        </Fragment>
      ) : (
        <Fragment key="settings">
          <AccountLine />
          <SettingsForm />
        </Fragment>
      )}
      {isForgetting.value && <ForgetDialog onEnd={onForgetEnd} />}
    </main>
  );
}

/** Opens whatever an element is folded away in. */
function reveal(element: Element): void {
  for (let fold = element.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
}

/** Opens the section that the page's address names by its fragment. */
function followFragment(): void {
  const target = document.getElementById(decodeOrKeep(location.hash.slice(1)));
  if (target === null) return;
  reveal(target);
  target.scrollIntoView();
}

addEventListener("hashchange", followFragment);
addEventListener("beforeunload", (event) => {
  if (isConnected.value && isChanged.value) event.preventDefault();
});
// Both can change elsewhere: the browser's own page of the extension, a second tab, an organization's policy.
onHostsChanged({ onAdded: () => void findLacking(), onRemoved: () => void findLacking() });
chrome.storage.onChanged.addListener((_changes, area) => {
  if (area === "local" && saving.value !== "asking") void load();
});
fill(account.value.settings);
mountPage(t("options.title"), <OptionsPage />);
followFragment();
void followOffered();
await findLacking();
