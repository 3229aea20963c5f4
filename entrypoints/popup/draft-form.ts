/** The form of a draft. Its controls are the state: nothing writes into them while a person does. */
import type { DraftFields } from "../shared/job.ts";
import { draftTexts, type FormTexts, type ReadDraft, readDraft, rowsOf } from "./draft-fields.ts";

export interface DraftForm {
  element: HTMLFormElement;
  /** Shows fields that changed elsewhere, unless the person is at work here. */
  show(fields: DraftFields): void;
  /** Sends what isn't sent yet, if it can be sent. */
  flush(): void;
  /** Whether it can be started. */
  valid(): boolean;
  /** The same, and if it can't, shows everything that is wrong and goes to the first of it. */
  check(): boolean;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Milliseconds without typing after which an edit is sent. */
const PAUSE = 150;

export function createDraftForm(
  fields: DraftFields,
  on: { edit(fields: DraftFields): void; start(): void },
): DraftForm {
  const form = clone<HTMLFormElement>("draft-template");
  const profiles = part(form, ".profiles");
  const add = part<HTMLButtonElement>(form, ".add-profile");
  /** Controls that were left once: nobody is told of mistakes while still typing. */
  const left = new Set<string>();
  let { further } = fields;
  let shown = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = (): ReadDraft => readDraft(textsOf(form), further);

  function show(fields: DraftFields): void {
    const given = JSON.stringify(fields);
    if (given === shown || timer !== undefined || form.contains(document.activeElement)) return;
    shown = given;
    further = fields.further;
    const texts = draftTexts(fields);
    profiles.replaceChildren();
    for (const row of rowsOf(texts)) addProfile(row);
    for (const control of controlsOf(form)) fill(control, texts[control.name]);
    showFurther();
  }

  function showFurther(): void {
    const line = part(form, ".further");
    const names = Object.keys(further);
    line.hidden = names.length === 0;
    line.textContent = `Also sent, as set in the options: ${names.join(", ")}.`;
  }

  function addProfile(row: number): HTMLElement {
    const profile = clone<HTMLFieldSetElement>("profile-template");
    for (const control of controlsOf(profile)) control.name = `profiles.${row}.${control.name}`;
    part(profile, "button").addEventListener("click", () => {
      const next = profile.nextElementSibling ?? profile.previousElementSibling;
      profile.remove();
      number();
      edited();
      (next?.querySelector("input") ?? add).focus();
    });
    profiles.append(profile);
    number();
    return profile;
  }

  function number(): void {
    for (const [index, legend] of profiles.querySelectorAll("legend").entries())
      legend.textContent = `Profile ${index + 1}`;
  }

  function edited(): void {
    clearTimeout(timer);
    timer = setTimeout(flush, PAUSE);
    showProblems(read());
  }

  function flush(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const { fields, problems } = read();
    if (problems.size > 0) return;
    shown = JSON.stringify(fields);
    on.edit(fields);
  }

  function showProblems({ problems }: ReadDraft): void {
    for (const control of controlsOf(form)) {
      const problem = left.has(control.name) ? problems.get(control.name) : undefined;
      showProblem(control, problem);
    }
  }

  function check(): boolean {
    const draft = read();
    for (const name of draft.problems.keys()) left.add(name);
    showProblems(draft);
    const first = controlsOf(form).find(({ name }) => draft.problems.has(name));
    if (first === undefined) return true;
    const details = first.closest("details");
    if (details) details.open = true;
    first.focus();
    return false;
  }

  form.addEventListener("input", edited);
  form.addEventListener("change", (event) => {
    left.add((event.target as Control).name);
    showProblems(read());
    flush();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (check()) on.start();
  });
  add.addEventListener("click", () => {
    const row = Math.max(-1, ...rowsOf(textsOf(form))) + 1;
    addProfile(row).querySelector("input")?.focus();
  });
  show(fields);
  return { element: form, show, flush, check, valid: () => read().problems.size === 0 };
}

function textsOf(form: HTMLFormElement): FormTexts {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}

function controlsOf(root: Element): Control[] {
  return [...root.querySelectorAll<Control>("input, select, textarea")];
}

function fill(control: Control, text: string | undefined): void {
  if (control instanceof HTMLInputElement && control.type === "checkbox")
    control.checked = text !== undefined;
  else control.value = text ?? "";
}

let problems = 0;

function showProblem(control: Control, problem: string | undefined): void {
  const field = control.closest(".field");
  const line = field?.querySelector(".problem");
  if (problem === undefined) {
    line?.remove();
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-describedby");
  } else if (line) {
    line.textContent = problem;
  } else {
    const added = document.createElement("p");
    added.className = "problem";
    added.id = `problem-${++problems}`;
    added.textContent = problem;
    field?.append(added);
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", added.id);
  }
}

function clone<Kind extends HTMLElement>(id: string): Kind {
  const template = document.getElementById(id) as HTMLTemplateElement;
  return document.importNode(template.content, true).firstElementChild as Kind;
}

function part<Kind extends HTMLElement>(root: Element, selector: string): Kind {
  const found = root.querySelector<Kind>(selector);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return found;
}
