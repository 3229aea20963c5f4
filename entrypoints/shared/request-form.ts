/**
 * The parts of a create-asset request that the options and a draft's form both edit: playback policy, profiles,
 * further fields. Needs `form.css`.
 *
 * Each editor is a piece of a form. What is typed reaches listeners as `input` events, as from any field; adding and
 * removing a profile is one too.
 */

import {
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestField,
  type RequestFields,
} from "../../core/validate.ts";
import { forgetProblemsOnInput, makeField, makeInput, makeTextArea, setProblem } from "./form-field.ts";
import { formatNumber } from "./format.ts";
import {
  brokenTextProblem,
  jsonText,
  type Policy,
  PROFILE_FIELDS,
  type Profile,
  policyTexts,
  profileTexts,
  type Reading,
  readFurther,
  readPolicy,
  readProfile,
  type Texts,
} from "./request-fields.ts";
import { setText } from "./set-text.ts";
import { type PlainKey, t } from "./translate.ts";

export interface Editor<Value> {
  readonly element: HTMLElement;
  /** Fills the fields in, silently. */
  write(value: Value): void;
  /** What is filled in. Marks what is wrong, and then gives the fields with problems instead, in their order. */
  read(): { value: Value } | { wrong: HTMLElement[] };
}

/** An editor of one field of a request. */
export interface FieldEditor extends Editor<unknown> {
  readonly name: keyof RequestFields;
  readonly control: RequestField["control"];
  readonly label: string;
}

/**
 * The editors of a request's fields but its name, in their order.
 *
 * @param form begins the names of their messages
 * @param prefix begins the ids of their fields
 */
export function makeRequestEditors(form: "draft" | "options", prefix = ""): FieldEditor[] {
  return REQUEST_FIELD_NAMES.filter((name) => name !== "name").map((name) => {
    const { control } = REQUEST_FIELDS[name];
    const label = t(`${form}.${name}` as PlainKey);
    const hint = form === "options" ? t(`options.${name}Hint` as PlainKey) : undefined;
    const id = `${prefix}${isSimple(control) ? name : control}`;
    return { name, control, label, ...makeEditor(control, { id, label, hint }) };
  });
}

/** True if a field is edited in one line. */
export function isSimple(control: RequestField["control"]): boolean {
  return control === "text" || control === "switch";
}

function makeEditor(control: RequestField["control"], field: SimpleField): Editor<unknown> {
  const editors = {
    text: () => makeTextEditor(field),
    switch: () => makeSwitchEditor(field),
    policy: () => makePolicyEditor(field.id),
    profiles: () => makeProfilesEditor(field.id),
  };
  return editors[control]() as Editor<unknown>;
}

/** Fills the editors in. */
export function writeFields(editors: readonly FieldEditor[], fields: RequestFields): void {
  for (const { name, write } of editors) write(fields[name] ?? undefined);
}

/** What is filled in, or all that is wrong. */
export function readFields(
  editors: readonly FieldEditor[],
): { value: Omit<RequestFields, "name"> } | { wrong: HTMLElement[] } {
  const readings = editors.map(({ name, read }) => ({ name, ...read() }));
  const wrong = readings.flatMap((reading) => ("wrong" in reading ? reading.wrong : []));
  if (wrong.length > 0) return { wrong };
  const values = readings.flatMap((reading) => ("value" in reading ? [[reading.name, reading.value]] : []));
  return { value: Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}

interface SimpleField {
  id: string;
  label: string;
  hint?: string | undefined;
}

function makeSwitchEditor({ id, label, hint }: SimpleField): Editor<boolean | undefined> {
  const input = Object.assign(document.createElement("input"), { type: "checkbox", id });
  const words = Object.assign(document.createElement(hint === undefined ? "span" : "label"), {
    textContent: label,
  });
  // Without a hint all of it is to be clicked.
  const element = document.createElement(hint === undefined ? "label" : "div");
  element.className = "check";
  element.append(input, words);
  if (hint !== undefined) {
    words.setAttribute("for", id);
    const line = { id: `${id}-hint`, className: "hint", textContent: hint };
    element.append(Object.assign(document.createElement("p"), line));
    input.setAttribute("aria-describedby", line.id);
  }
  return {
    element,
    write(value) {
      input.checked = value === true;
    },
    read: () => ({ value: input.checked }),
  };
}

function makeTextEditor(field: SimpleField): Editor<string | undefined> {
  const input = makeInput();
  return {
    element: makeField(input, field),
    write(value) {
      input.value = value ?? "";
    },
    read() {
      const problem = brokenTextProblem(input.value);
      setProblem(input, problem);
      return problem === undefined ? { value: input.value.trim() || undefined } : { wrong: [input] };
    },
  };
}

/** Edits a playback policy; undefined while all is empty. `prefix` begins the ids of its fields. */
function makePolicyEditor(prefix: string): Editor<Policy | undefined> {
  const inputs = {
    type: makeInput(),
    webhookId: makeInput(),
    refreshInterval: makeInput({ inputMode: "numeric" }),
    webhookContext: makeTextArea({ className: "code" }),
    allowedOrigins: makeTextArea({ className: "code" }),
  };
  const element = document.createElement("div");
  element.className = "policy";
  element.append(
    makeField(inputs.type, { id: `${prefix}-type`, label: t("form.type"), suggestions: ["webhook"] }),
    makeField(inputs.webhookId, { id: `${prefix}-webhookId`, label: t("form.webhookId") }),
    makeField(inputs.refreshInterval, { id: `${prefix}-refreshInterval`, label: t("form.refreshInterval") }),
    makeField(inputs.webhookContext, {
      id: `${prefix}-webhookContext`,
      label: t("form.webhookContext"),
      hint: t("form.webhookContextHint"),
      kind: "half",
    }),
    makeField(inputs.allowedOrigins, {
      id: `${prefix}-allowedOrigins`,
      label: t("form.allowedOrigins"),
      hint: t("form.allowedOriginsHint"),
      kind: "half",
    }),
  );
  forgetProblemsOnInput(element);
  return {
    element,
    write: (policy) => fill(inputs, policyTexts(policy)),
    read: () => showProblems(readPolicy(textsOf(inputs)), inputs),
  };
}

/** Edits a list of transcode profiles; undefined while there is none. */
function makeProfilesEditor(prefix: string): Editor<Profile[] | undefined> {
  const element = document.createElement("div");
  element.className = "profiles";
  const rows = document.createElement("div");
  rows.className = "profile-rows";
  const add = makeButton(t("form.addProfile"));
  add.id = `${prefix}-add`;
  element.append(rows, add);
  const profiles: ProfileRow[] = [];
  let made = 0;

  const changed = () => element.dispatchEvent(new Event("input", { bubbles: true }));
  function count(): void {
    for (const [index, row] of profiles.entries()) row.count(index + 1);
  }
  function append(profile: Profile): ProfileRow {
    made++;
    const row = makeProfileRow(`${prefix}-${made}`, () => {
      const at = profiles.indexOf(row);
      profiles.splice(at, 1);
      row.element.remove();
      count();
      // The removed button had the focus.
      (profiles[at] ?? profiles.at(-1))?.removeButton.focus();
      if (profiles.length === 0) add.focus();
      changed();
    });
    row.write(profile);
    profiles.push(row);
    rows.append(row.element);
    count();
    return row;
  }

  add.addEventListener("click", () => {
    append({}).focus();
    changed();
  });
  forgetProblemsOnInput(element);
  return {
    element,
    write(value) {
      profiles.length = 0;
      rows.replaceChildren();
      for (const profile of value ?? []) append(profile);
    },
    read() {
      const readings = profiles.map((row) => row.read());
      const wrong = readings.flatMap((reading) => ("wrong" in reading ? reading.wrong : []));
      if (wrong.length > 0) return { wrong };
      const values = readings.flatMap((reading) =>
        "value" in reading && reading.value ? [reading.value] : [],
      );
      return { value: values.length === 0 ? undefined : values };
    },
  };
}

/** Edits the further request fields as JSON. */
export function makeFurtherEditor(prefix: string): Editor<Record<string, unknown>> {
  const inputs = { further: makeTextArea({ rows: 4, className: "code" }) };
  const element = makeField(inputs.further, {
    id: `${prefix}-further`,
    label: t("form.further"),
    hint: t("form.furtherHint"),
  });
  forgetProblemsOnInput(element);
  return {
    element,
    write: (further) => fill(inputs, { further: jsonText(further) }),
    read: () => showProblems(readFurther(inputs.further.value), inputs),
  };
}

interface ProfileRow extends Editor<Profile | undefined> {
  readonly removeButton: HTMLButtonElement;
  count(number: number): void;
  focus(): void;
}

const PROFILE_KEYS: Record<(typeof PROFILE_FIELDS)[number], PlainKey> = {
  name: "form.name",
  width: "form.width",
  height: "form.height",
  bitrate: "form.bitrate",
  quality: "form.quality",
  fps: "form.fps",
  fpsDen: "form.fpsDen",
  encoder: "form.encoder",
  gop: "form.gop",
  profile: "form.codecProfile",
};
const WIDE = ["name", "profile"];
const TEXTS = ["name", "encoder", "gop", "profile"];
const SUGGESTIONS: Partial<Record<string, string[]>> = { encoder: ["H.264"], profile: ["H264Baseline"] };

function makeProfileRow(prefix: string, remove: () => void): ProfileRow {
  const element = document.createElement("fieldset");
  element.className = "profile";
  const legend = document.createElement("legend");
  const removeButton = makeButton(t("form.remove"));
  removeButton.classList.add("small");
  removeButton.addEventListener("click", remove);
  const inputs = {} as Record<(typeof PROFILE_FIELDS)[number], HTMLInputElement>;
  const fields = PROFILE_FIELDS.map((field) => {
    inputs[field] = makeInput(TEXTS.includes(field) ? {} : { inputMode: "numeric" });
    const suggestions = SUGGESTIONS[field];
    return makeField(inputs[field], {
      id: `${prefix}-${field}`,
      label: t(PROFILE_KEYS[field]),
      ...(WIDE.includes(field) && { kind: "wide" }),
      ...(suggestions && { suggestions }),
    });
  });
  const grid = document.createElement("div");
  grid.className = "profile-fields";
  grid.append(...fields);
  element.append(legend, removeButton, grid);
  return {
    element,
    removeButton,
    write: (profile) => fill(inputs, profileTexts(profile ?? {})),
    read: () => showProblems(readProfile(textsOf(inputs)), inputs),
    count(number) {
      const shown = formatNumber(number);
      setText(legend, t("form.profile", { number: shown }));
      removeButton.setAttribute("aria-label", t("form.removeProfile", { number: shown }));
    },
    focus: () => inputs.name.focus(),
  };
}

type Inputs<Field extends string> = Record<Field, HTMLInputElement | HTMLTextAreaElement>;

function fill<Field extends string>(inputs: Inputs<Field>, texts: Texts<Field>): void {
  for (const field of Object.keys(inputs) as Field[]) {
    inputs[field].value = texts[field];
    setProblem(inputs[field], undefined);
  }
}

function textsOf<Field extends string>(inputs: Inputs<Field>): Texts<Field> {
  const texts = Object.entries<HTMLInputElement | HTMLTextAreaElement>(inputs);
  return Object.fromEntries(texts.map(([field, { value }]) => [field, value])) as Texts<Field>;
}

function showProblems<Value>(
  reading: Reading<Value>,
  inputs: Inputs<string>,
): { value: Value } | { wrong: HTMLElement[] } {
  const problems = "problems" in reading ? reading.problems : {};
  for (const [field, input] of Object.entries(inputs)) setProblem(input, problems[field]);
  if ("value" in reading) return reading;
  return {
    wrong: Object.keys(inputs).flatMap((field) => (field in problems ? [inputs[field] as HTMLElement] : [])),
  };
}

function makeButton(text: string): HTMLButtonElement {
  return Object.assign(document.createElement("button"), { type: "button", textContent: text });
}
