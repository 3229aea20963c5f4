/** The form of a draft. Its controls are the state: nothing writes into them while a person does. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { REQUEST_FIELD_NAMES } from "../../core/validate.ts";
import { makeField, makeInput, setProblem } from "../shared/form-field.ts";
import type { DraftFields, NamedTracks } from "../shared/job.ts";
import { plainText } from "../shared/plain-text.ts";
import {
  type FieldEditor,
  isSimple,
  makeRequestEditors,
  readFields,
  writeFields,
} from "../shared/request-form.ts";
import { setText } from "../shared/set-text.ts";
import { METHODS } from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { nameProblem } from "./name-problem.ts";
import { makeSoundChoice } from "./sound-choice.ts";

interface FormHandle {
  /** Shows fields that changed elsewhere, unless the person is at work here. */
  show(fields: DraftFields): void;
  /** Sends what isn't sent yet, if it can be sent. */
  flush(): void;
  /** Shows everything that is wrong, and gives the controls that are, in their order. */
  check(): HTMLElement[];
}

interface DraftFormProps {
  /** That of the draft. It begins the ids of its controls. */
  id: string;
  fields: DraftFields;
  /** To choose the sound from. */
  languages?: NamedTracks["languages"];
  edit(fields: DraftFields): void;
  start(): void;
  /** True if its button is filled. @default true */
  isMain?: boolean;
  /** What its button says, and that it has no name, where it is the form of many drafts. */
  forAll?: string;
}

/** Milliseconds without typing after which an edit is sent. */
const EDIT_DELAY = 150;

/** Forms that are open, by their ids. */
const openForms = new Map<string, FormHandle>();

/** Shows everything that is wrong in a form, and gives the controls that are, in their order; else what isn't sent is. */
export function checkForm(id: string): HTMLElement[] {
  const wrong = openForms.get(id)?.check() ?? [];
  if (wrong.length === 0) openForms.get(id)?.flush();
  return wrong;
}

/** Sends what was edited and isn't sent yet. */
export function flushForms(): void {
  for (const { flush } of openForms.values()) flush();
}

export function DraftForm(props: DraftFormProps): VNode {
  const { id, fields, forAll, isMain = true } = props;
  const element = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    openForms.set(id, fillForm(element.current, props));
    element.current.querySelector("input")?.focus();
    return () => void openForms.delete(id);
  }, [id]);
  useLayoutEffect(() => openForms.get(id)?.show(fields), [fields]);
  return (
    <form ref={element} class="draft" novalidate autocomplete="off">
      <div class="bar">
        <button class={isMain ? "main" : ""} type="submit">
          {forAll ?? t("button.start")}
        </button>
      </div>
      <details>
        <summary>{t("draft.more")}</summary>
        <div class="field">
          <label>
            <span>{t("draft.method")}</span>
            <select name="method">
              <option value="auto">{t("draft.automatic")}</option>
              <option value="resumable">{t("draft.resumable")}</option>
              <option value="direct">{t("draft.direct")}</option>
            </select>
          </label>
        </div>
        <p class="quiet" hidden />
      </details>
    </form>
  );
}

function fillForm(
  form: HTMLFormElement,
  { id, fields, languages, edit, start, forAll }: DraftFormProps,
): FormHandle {
  const { name, write, read } = fillControls(form, `draft-${id}`, languages);
  if (forAll !== undefined) name.closest<HTMLElement>(".field")?.remove();
  /** The fields as the list has them, and as the controls were before the person changed them. */
  let current = fields;
  let before = fields;
  let shown = "";
  let isUnsent = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(fields: DraftFields): void {
    current = fields;
    const given = JSON.stringify(fields);
    if (given === shown || isUnsent || form.contains(document.activeElement)) return;
    shown = given;
    before = fields;
    write(fields);
    // What the field doesn't show must not be sent either.
    if (name.value !== fields.name) sendSoon();
  }

  function sendSoon(): void {
    isUnsent = true;
    clearTimeout(timer);
    timer = setTimeout(flush, EDIT_DELAY);
  }

  function flush(): void {
    if (!isUnsent) return;
    isUnsent = false;
    clearTimeout(timer);
    const reading = read(before);
    if ("wrong" in reading) return;
    const given = JSON.stringify(reading.fields);
    if (given === shown) return;
    shown = given;
    // Another page may have changed other fields meanwhile.
    current = withChanges(current, before, reading.fields);
    before = reading.fields;
    edit(current);
  }

  form.addEventListener("input", ({ target }) => {
    isUnsent = true;
    clearTimeout(timer);
    // Nobody is told of mistakes while still typing: these fields are read when they are left.
    const isReadWhileTyping = target === name || !(target as HTMLElement).matches("input, textarea");
    if (isReadWhileTyping) timer = setTimeout(flush, EDIT_DELAY);
  });
  form.addEventListener("change", flush);
  form.addEventListener("focusout", () => setTimeout(() => show(current)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    start();
  });
  show(fields);
  return {
    show,
    flush,
    check() {
      const reading = read(before);
      return "wrong" in reading ? reading.wrong : [];
    },
  };
}

interface Controls {
  name: HTMLInputElement;
  write(fields: DraftFields): void;
  /** The fields as the controls have them; marks what is wrong. `before` has what no control edits. */
  read(before: DraftFields): { fields: DraftFields } | { wrong: HTMLElement[] };
}

/** Adds the controls of fields, which the options make too. */
function fillControls(form: HTMLFormElement, prefix: string, languages: NamedTracks["languages"]): Controls {
  const { method } = form.elements as unknown as DraftControls;
  const bar = form.querySelector(".bar") as HTMLElement;
  const also = form.querySelector("details > p") as HTMLElement;
  const name = makeInput();
  name.addEventListener("change", () => {
    if (nameProblem(name.value) === undefined) name.value = plainText(name.value);
  });
  const editors = makeRequestEditors("draft", `${prefix}-`);
  const sound = languages === undefined ? undefined : makeSoundChoice(languages);
  form.prepend(makeField(name, { id: `${prefix}-name`, label: t("draft.name") }));
  if (sound !== undefined) name.closest(".field")?.after(sound.element);
  bar.prepend(...editors.filter(({ control }) => control === "switch").map(({ element }) => element));
  also.before(...editors.filter(({ control }) => control !== "switch").map(inMore));
  return {
    name,
    write(fields) {
      name.value = plainText(fields.name);
      method.value = fields.method;
      sound?.write(fields.language);
      writeFields(editors, fields);
      const names = Object.keys(fields.further);
      also.hidden = names.length === 0;
      setText(also, t("draft.also", { fields: names.join(", ") }));
    },
    read(before) {
      const title = plainText(name.value).trim();
      const problem = nameProblem(name.value) ?? nameProblem(title);
      setProblem(name, problem);
      const own = readFields(editors);
      if (problem !== undefined || "wrong" in own)
        return { wrong: [...(problem === undefined ? [] : [name]), ...("wrong" in own ? own.wrong : [])] };
      return {
        fields: {
          name: title,
          ...own.value,
          method: METHODS.find((each) => each === method.value) ?? before.method,
          ...withLanguage(sound === undefined ? before.language : sound.read()),
          further: before.further,
        },
      };
    },
  };
}

function withLanguage(language: string | undefined): Pick<DraftFields, "language"> {
  return language === undefined ? {} : { language };
}

/** Fields with what a person changed in them, and only that. */
function withChanges(fields: DraftFields, before: DraftFields, after: DraftFields): DraftFields {
  const changed = { ...fields };
  for (const key of [...REQUEST_FIELD_NAMES, "language", "method"] as const) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue;
    if (after[key] === undefined) delete changed[key as Exclude<typeof key, "name" | "method">];
    else Object.assign(changed, { [key]: after[key] });
  }
  return changed;
}

/** A field that is folded away, under a title of its own unless it has a label. */
function inMore({ control, label, element }: FieldEditor): HTMLElement {
  if (isSimple(control)) return element;
  const section = document.createElement("section");
  section.append(Object.assign(document.createElement("h4"), { textContent: label }), element);
  return section;
}

interface DraftControls {
  method: HTMLSelectElement;
}

/** Goes to a control, if there is one, also where it is folded away. */
export function goTo(control: HTMLElement | undefined): void {
  const details = control?.closest("details");
  if (details) details.open = true;
  control?.focus();
}
