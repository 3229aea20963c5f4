/** The token's field: entered and checked here, never filled with the saved token. */
import { readToken } from "../../core/validate.ts";
import { element } from "../shared/elements.ts";
import { setProblem } from "../shared/form-field.ts";
import { tokenProblem } from "./checks.ts";

export interface TokenField {
  /** Shows whether there is a saved token, and forgets what was entered. */
  show(isSaved: boolean): void;
  /** The token to save, "saved" to keep the saved one, or undefined after marking what is wrong. */
  read(): { token: string } | "saved" | undefined;
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
    input.placeholder = isEntered ? "" : "••••••••••••  saved";
    setProblem(input, undefined);
    disclose(false);
    reveal.hidden = !isEntered;
    keep.hidden = !isEntered || !isSaved;
    replace.hidden = isEntered;
  }

  function disclose(isShown: boolean): void {
    input.type = isShown ? "text" : "password";
    reveal.textContent = isShown ? "Hide" : "Show";
    reveal.setAttribute("aria-pressed", String(isShown));
  }

  reveal.addEventListener("click", () => disclose(input.type === "password"));
  replace.addEventListener("click", () => {
    enter(true);
    input.focus();
  });
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
    demand(problem) {
      enter(true);
      setProblem(input, problem);
    },
  };
}
