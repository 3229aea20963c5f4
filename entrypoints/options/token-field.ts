/** The token's field: entered and checked here, never filled with the saved token. */
import { readToken } from "../../core/validate.ts";
import { element } from "../shared/elements.ts";
import { setProblem } from "../shared/form-field.ts";
import { t } from "../shared/translate.ts";
import { tokenProblem } from "./checks.ts";

export interface TokenField {
  /** Shows whether there is a saved token, and forgets what was entered. */
  show(isSaved: boolean): void;
  /** The token to save, "saved" to keep the saved one, or undefined after marking what is wrong. */
  read(): { token: string } | "saved" | undefined;
  /** Whether a token is being entered in place of a saved one, or there is none. */
  isEntered(): boolean;
  hasText(): boolean;
  /** Has another token entered, with the focus in its field. */
  replace(): void;
  /** Asks for a token although there is a saved one. */
  demand(problem: string): void;
}

export function makeTokenField(): TokenField {
  const input = element("token", HTMLInputElement);
  const reveal = element("token-show", HTMLButtonElement);
  const replace = element("token-replace", HTMLButtonElement);
  const keep = element("token-keep", HTMLButtonElement);
  let isSaved = false;

  function enter(isEntered: boolean): void {
    input.value = "";
    input.readOnly = !isEntered;
    input.placeholder = isEntered ? "" : `••••••••••••  ${t("options.tokenSaved")}`;
    setProblem(input, undefined);
    disclose(false);
    reveal.hidden = !isEntered;
    keep.hidden = !isEntered || !isSaved;
    replace.hidden = isEntered;
  }

  function disclose(isShown: boolean): void {
    input.type = isShown ? "text" : "password";
    reveal.textContent = t(isShown ? "options.hide" : "options.show");
    reveal.setAttribute("aria-pressed", String(isShown));
  }

  reveal.addEventListener("click", () => disclose(input.type === "password"));
  function startOver(): void {
    enter(true);
    input.focus();
  }

  replace.addEventListener("click", startOver);
  keep.addEventListener("click", () => {
    enter(false);
    replace.focus();
  });
  // What was pasted loses "Bearer " and white space where it can be seen.
  input.addEventListener("change", () => {
    if (tokenProblem(input.value) === undefined) input.value = readToken(input.value);
  });

  return {
    show(saved) {
      isSaved = saved;
      enter(!saved);
    },
    read() {
      if (input.readOnly) return "saved";
      const problem = tokenProblem(input.value);
      setProblem(input, problem);
      return problem === undefined ? { token: readToken(input.value) } : undefined;
    },
    isEntered: () => !input.readOnly,
    hasText: () => input.value !== "",
    replace: startOver,
    demand(problem) {
      enter(true);
      setProblem(input, problem);
    },
  };
}
