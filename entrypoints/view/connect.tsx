/** Connects an account: two fields and one button, in the popup and in the options. Needs `form.css`. */
import { batch, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { readBaseUrl, readToken } from "../../core/extension.ts";
import { isHostAllowed, onHostsChanged, requestHosts } from "../reach/host-permissions.ts";
import {
  addressProblem,
  type CheckOutcome,
  checkOutcomeOf,
  isPlain,
  notAllowed,
  tokenProblem,
  withScheme,
} from "../shared/account-check.ts";
import { callBackground } from "../shared/messages.ts";
import {
  type Account,
  DEFAULT_SETTINGS,
  noteChecked,
  readAccount,
  type Settings,
  saveAccount,
  saveSettings,
} from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { hostOf, originOf } from "../shared/web-address.ts";
import { Button, Form } from "./actions.tsx";
import { Details } from "./details.tsx";
import { focusOn, TextField } from "./text-field.tsx";

interface ConnectProps {
  /** Called once the service takes the account, or the person wants no check. */
  onConnected(outcome: CheckOutcome): void;
  /** Keeps the account that is connected; without it there is none. */
  onCancel?: () => void;
}

export function Connect({ onConnected, onCancel }: ConnectProps): VNode | null {
  const connection = useMemo(() => makeConnection(onConnected), []);
  const { account, address, token, name, isShown, step, outcome } = connection;
  useLayoutEffect(() => void connection.start(), []);
  const isLoaded = account.value !== undefined;
  useLayoutEffect(() => {
    // Who has an account mostly has a new token for it.
    const hasAddress = account.value?.managed.address !== undefined || onCancel !== undefined;
    if (isLoaded) focusOn(hasAddress ? "token" : "address");
  }, [isLoaded]);
  if (account.value === undefined) return null;
  const { managed, isUnchecked } = account.value;
  const isBusy = step.value !== "enter";
  const problems = connection.problems();
  return (
    <Form class="connect" aria-busy={isBusy} submit={connection.connect}>
      {managed.accountName && <h2>{managed.accountName}</h2>}
      <TextField
        id="address"
        type="url"
        dir="ltr"
        label={t("options.address")}
        placeholder="https://video.example"
        text={address.value}
        onText={(text) => connection.enter(address, text)}
        onLeave={() => {
          address.value = withScheme(address.value);
        }}
        problem={problems.address}
        hint={connection.addressHint()}
        kind={isPlain(address.value) ? "warned" : ""}
        readOnly={managed.address !== undefined}
        required
      />
      <TextField
        id="token"
        type={isShown.value ? "text" : "password"}
        dir="ltr"
        class="code"
        label={t("options.token")}
        placeholder={connection.keepsToken() ? `••••••••••••  ${t("options.tokenSaved")}` : ""}
        text={token.value}
        onText={connection.enterToken}
        // "Bearer " and white space around it go where the person sees it.
        onLeave={() => {
          if (tokenProblem(token.value) === undefined) token.value = readToken(token.value);
        }}
        problem={problems.token}
        hint={t("options.tokenHint")}
        required
      >
        <Button
          words={t(isShown.value ? "options.hide" : "options.show")}
          aria-pressed={isShown.value}
          act={() => {
            isShown.value = !isShown.value;
          }}
        />
      </TextField>
      {onCancel && managed.accountName === undefined && (
        <TextField
          id="account-name"
          label={t("options.accountName")}
          text={name.value}
          onText={(text) => connection.enter(name, text)}
          hint={t("options.accountNameHint")}
        />
      )}
      {outcome.value && (
        <div class="told">
          <p role="alert" data-tone="bad">
            {outcome.value.text}
          </p>
          <Details quote={outcome.value.quote} />
        </div>
      )}
      <div class="buttons">
        <Button class="main" words={t("connection.connect")} aria-disabled={isBusy} />
        {onCancel && !isUnchecked && <Button words={t("forget.cancel")} act={onCancel} />}
        {connection.canSkip() && <Button words={t("connection.anyway")} act={connection.skip} />}
        <p role="status">
          {step.value === "ask" && t("connection.allowing")}
          {step.value === "check" && t("connection.asking", { host: hostOf(address.value) })}
        </p>
      </div>
      <details class="more">
        <summary>{t("connection.where")}</summary>
        <p>{t("connection.whereAddress")}</p>
        <p>{t("connection.whereToken")}</p>
        <p>{t("connection.tokenCheck")}</p>
      </details>
    </Form>
  );
}

function makeConnection(onConnected: (outcome: CheckOutcome) => void) {
  const account = signal<Account | undefined>();
  const address = signal("");
  const token = signal("");
  const name = signal("");
  const isShown = signal(false);
  /** `ask`: the browser's question is open; `check`: the service is asked. */
  const step = signal<"enter" | "ask" | "check">("enter");
  /** The reason why the account is not connected. */
  const outcome = signal<CheckOutcome | undefined>();
  /** Values at the last try: a mistake is told until its field is edited. */
  const tried = signal<{ address?: string; token?: string }>({});

  function keepsToken(): boolean {
    const { token: kept = "", settings } = account.value ?? {};
    return kept !== "" && originOf(withScheme(address.value)) === originOf(settings?.address ?? "");
  }

  function mistakes(): { address: string | undefined; token: string | undefined } {
    const isMissing = token.value.trim() === "";
    const isOther = isMissing && account.value?.token !== "";
    return {
      address: addressProblem(withScheme(address.value)),
      token:
        isMissing && keepsToken() ? undefined : isOther ? t("problem.otherToken") : tokenProblem(token.value),
    };
  }

  function enter(field: typeof address, text: string): void {
    field.value = text;
    outcome.value = undefined;
  }

  /** A name is an account's: that of the former one is no name of the next, and comes back with its token. */
  function enterToken(text: string): void {
    const former = account.value?.settings.accountName ?? "";
    if (text !== "" && name.value === former) name.value = "";
    if (text === "" && name.value === "") name.value = former;
    enter(token, text);
  }

  function stop(found: CheckOutcome): void {
    batch(() => {
      outcome.value = found;
      step.value = "enter";
    });
    if (found.field !== undefined) focusOn(found.field);
  }

  async function connect(): Promise<void> {
    if (step.value !== "enter") return;
    address.value = withScheme(address.value);
    tried.value = { address: address.value, token: token.value };
    const wrong = mistakes();
    if (wrong.address !== undefined) return focusOn("address");
    if (wrong.token !== undefined) return focusOn("token");
    batch(() => {
      outcome.value = undefined;
      step.value = "ask";
    });
    const href = readBaseUrl(address.value);
    const given = token.value.trim() === "" ? account.value?.token : readToken(token.value);
    // The browser asks only within the click, and its question may close the popup: what was entered is saved meanwhile.
    const asked = requestHosts([href]);
    try {
      const isOther = (await readAccount()).settings.address !== href;
      // Paths are those of one service.
      const saved = { address: href, accountName: name.value.trim() };
      await saveAccount({ ...saved, ...(isOther && { paths: DEFAULT_SETTINGS.paths }) }, given ?? "");
      account.value = await readAccount();
    } catch (error) {
      console.error(error);
      return stop({ tone: "bad", text: t("options.notStored") });
    }
    await asked;
    await check();
  }

  async function check(): Promise<void> {
    const { settings } = await readAccount();
    step.value = "check";
    if (!(await isHostAllowed(settings.address))) return stop(notAllowed(settings.address));
    const found = await askService(settings);
    if (found.tone === "bad") return stop(found);
    await noteChecked();
    onConnected(found);
  }

  return {
    account,
    address,
    token,
    name,
    enterToken,
    isShown,
    step,
    outcome,
    keepsToken,
    enter,
    connect,
    /** Shows what is saved. An account that was entered and not checked, since the browser's question closed the page, is. */
    async start() {
      const saved = await readAccount();
      batch(() => {
        account.value = saved;
        address.value = saved.settings.address;
        name.value = saved.managed.accountName === undefined ? saved.settings.accountName : "";
      });
      // The browser may say only after some seconds what an organization sets.
      chrome.storage.onChanged.addListener(async () => {
        const now = await readAccount();
        if (JSON.stringify(now.managed) === JSON.stringify(account.value?.managed)) return;
        batch(() => {
          account.value = now;
          address.value = now.settings.address;
        });
      });
      const isWaiting = () => account.value?.isUnchecked === true && step.value === "enter";
      onHostsChanged({
        onAdded() {
          if (isWaiting()) void check();
        },
      });
      if (isWaiting()) await check();
    },
    problems() {
      const { address: wrongAddress, token: wrongToken } = mistakes();
      return {
        address: tried.value.address === address.value ? wrongAddress : undefined,
        token: tried.value.token === token.value ? wrongToken : undefined,
      };
    },
    addressHint(): string {
      if (account.value?.managed.address !== undefined) return t("connection.managed");
      return t(isPlain(address.value) ? "options.plain" : "options.addressHint");
    },
    /** True if an account that couldn't be checked may be used anyway. */
    canSkip: () =>
      outcome.value !== undefined && outcome.value.field !== "token" && account.value?.isUnchecked === true,
    async skip() {
      await noteChecked();
      onConnected({ tone: "warn", text: t("connection.unchecked") });
    },
  };
}

/** Asks the service for what it says of the saved account; where it has calls at other paths, these are saved. */
export async function askService(settings: Settings): Promise<CheckOutcome> {
  const response = await callBackground("check-account", {}).catch(() => null);
  const { paths } = settings;
  const found = response !== null && "check" in response ? response.check.paths : {};
  const { terminate = paths.terminate, asset = paths.asset } = found;
  if (Object.keys(found).length > 0) await saveSettings({ paths: { ...paths, terminate, asset } });
  return checkOutcomeOf(settings.address, response);
}
