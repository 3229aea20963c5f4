/** A labelled field, with what is wrong with it shown beside it. */
import { setText } from "./set-text.ts";

export type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Shows what is wrong with a field, or removes that. The field must be within a `.field`. */
export function setProblem(field: FormField, problem: string | undefined): void {
  const id = `${field.id}-problem`;
  const shown = document.getElementById(id);
  if (problem === undefined) {
    if (shown === null) return;
    shown.remove();
    field.removeAttribute("aria-invalid");
    describe(field, (ids) => ids.filter((each) => each !== id));
    return;
  }
  const line = shown ?? document.createElement("p");
  line.id = id;
  line.className = "problem";
  setText(line, problem);
  if (shown === null) rowOf(field).after(line);
  field.setAttribute("aria-invalid", "true");
  // A screen reader says it before the hint.
  describe(field, (ids) => [id, ...ids.filter((each) => each !== id)]);
}

/** Takes a problem away as soon as its field is edited. */
export function forgetProblemsOnInput(container: HTMLElement): void {
  container.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLElement && "labels" in target) setProblem(target as FormField, undefined);
  });
}

type InputProperties = Partial<Pick<HTMLInputElement, "inputMode" | "className">>;
type TextAreaProperties = Partial<Pick<HTMLTextAreaElement, "rows" | "className">>;

interface FieldOptions {
  id: string;
  label: string;
  hint?: string | undefined;
  /** Class names beside `field`. */
  kind?: string;
  /** Values that are offered. */
  suggestions?: string[];
}

/** A field with label, hint and suggestions around an input of one's own. */
export function makeField<Input extends HTMLInputElement | HTMLTextAreaElement>(
  input: Input,
  { id, label, hint, kind = "", suggestions }: FieldOptions,
): HTMLElement {
  const field = document.createElement("div");
  field.className = `field ${kind}`.trim();
  input.id = id;
  const name = document.createElement("label");
  name.htmlFor = id;
  name.textContent = label;
  field.append(name, input);
  if (suggestions && input instanceof HTMLInputElement) {
    const list = document.createElement("datalist");
    list.id = `${id}-suggestions`;
    list.append(...suggestions.map((value) => Object.assign(document.createElement("option"), { value })));
    input.setAttribute("list", list.id);
    field.append(list);
  }
  if (hint !== undefined) {
    const line = document.createElement("p");
    line.id = `${id}-hint`;
    line.className = "hint";
    line.textContent = hint;
    field.append(line);
    input.setAttribute("aria-describedby", line.id);
  }
  return field;
}

/** A one-line text. */
export function makeInput(properties: InputProperties = {}): HTMLInputElement {
  const own = { type: "text", dir: "auto", autocomplete: "off" as const, spellcheck: false };
  return Object.assign(document.createElement("input"), own, properties);
}

/** A text of several lines. */
export function makeTextArea(properties: TextAreaProperties = {}): HTMLTextAreaElement {
  return Object.assign(document.createElement("textarea"), {
    rows: 3,
    dir: "auto",
    spellcheck: false,
    ...properties,
  });
}

/** The part of its `.field` that holds it, perhaps beside a button. */
function rowOf(field: FormField): Element {
  let row: Element = field;
  while (row.parentElement && !row.parentElement.classList.contains("field")) row = row.parentElement;
  return row;
}

function describe(field: FormField, change: (ids: string[]) => string[]): void {
  const ids = change((field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== ""));
  if (ids.length === 0) field.removeAttribute("aria-describedby");
  else field.setAttribute("aria-describedby", ids.join(" "));
}
