/** The check of the account as the page shows it: a line for each step, and what may help. */
import { element } from "../shared/elements.ts";
import { isHostAllowed } from "../shared/host-permissions.ts";
import { callBackground } from "../shared/messages.ts";
import { setText } from "../shared/set-text.ts";
import { type PlainKey, t } from "../shared/translate.ts";
import {
  answerLines,
  CHECKS,
  type CheckLine,
  type CheckLines,
  firstLines,
  type NextStep,
  permissionLines,
  toneOf,
} from "./account-check.ts";

export type CheckResult = "good" | "warn" | "bad";

export interface Connection {
  /**
   * Checks the saved account, each step once the one before it has ended.
   *
   * @param asked settles when the person has answered the browser's question
   * @returns how it ended, or undefined where another check has begun meanwhile
   */
  check(address: string, asked: Promise<unknown>): Promise<CheckResult | undefined>;
  /** Forgets what was found: it is no longer about what is saved. */
  hide(): void;
  /** Whether the last check ended for the host that the browser doesn't allow. */
  lacksHost(): boolean;
}

const TITLES: Record<CheckResult, PlainKey> = {
  good: "connection.good",
  warn: "connection.partly",
  bad: "connection.bad",
};

const BUTTONS = {
  address: "connection.changeAddress",
  token: "connection.changeToken",
} as const satisfies Record<string, PlainKey>;

/** @param onNext called when the person chooses what may help */
export function makeConnection(onNext: (next: NextStep) => void): Connection {
  const box = element("connection", HTMLElement);
  const title = element("connection-title", HTMLElement);
  const list = element("checks", HTMLOListElement);
  let lines: CheckLines | undefined;
  let runs = 0;

  function show(changed: Partial<CheckLines>): void {
    lines = { ...(lines as CheckLines), ...changed };
    for (const [place, name] of CHECKS.entries()) {
      if (changed[name] === undefined) continue;
      const item = makeItem(changed[name], onNext);
      const shown = list.children[place];
      if (shown === undefined) list.append(item);
      else shown.replaceWith(item);
    }
  }

  function announce(key: PlainKey, tone: CheckResult | "busy"): void {
    title.dataset.tone = tone;
    title.textContent = t(key);
    box.setAttribute("aria-busy", String(tone === "busy"));
  }

  return {
    async check(address, asked) {
      const run = ++runs;
      const isOld = () => run !== runs;
      box.hidden = false;
      announce("connection.checking", "busy");
      show(firstLines(address));
      await asked;
      const isAllowed = await isHostAllowed(address);
      if (isOld()) return undefined;
      show(permissionLines(address, isAllowed));
      if (isAllowed) {
        const response = await callBackground("check-account", {}).catch(() => null);
        if (isOld()) return undefined;
        show(answerLines(address, response));
      }
      const result = toneOf(lines as CheckLines);
      announce(TITLES[result], result);
      return result;
    },
    hide() {
      runs++;
      lines = undefined;
      box.hidden = true;
    },
    lacksHost: () => lines?.permission.tone === "bad",
  };
}

function makeItem({ tone, text, quote, next }: CheckLine, onNext: (next: NextStep) => void): HTMLElement {
  const item = document.createElement("li");
  item.dataset.tone = tone;
  const line = document.createElement("p");
  // Inserted with its text, it is read aloud at once.
  if (tone === "bad") line.role = "alert";
  setText(line, text);
  item.append(line);
  if (quote !== undefined)
    item.append(Object.assign(document.createElement("blockquote"), { textContent: quote, dir: "auto" }));
  if (next !== undefined) item.append(makeButton(next, onNext));
  return item;
}

function makeButton(next: NextStep, onNext: (next: NextStep) => void): HTMLElement {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "small" });
  button.textContent = t(keyOf(next));
  button.addEventListener("click", () => onNext(next));
  return button;
}

function keyOf(next: NextStep): PlainKey {
  if (next === "again") return "connection.again";
  return "path" in next ? "connection.usePath" : BUTTONS[next.field];
}
