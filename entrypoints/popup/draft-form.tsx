/** The form of a draft. What is typed is its own: what comes from elsewhere is shown while nobody is at work in it. */
import { computed, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { METHODS, plainText, REQUEST_FIELD_NAMES } from "../../core/extension.ts";
import { formatList } from "../shared/format.ts";
import type { DraftFields, NamedTracks } from "../shared/job.ts";
import { nameProblem, readFields, type Typed, typedFields } from "../shared/request-fields.ts";
import { FIELD_NAMES } from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { Button, Form } from "../view/actions.tsx";
import { Select } from "../view/choice.tsx";
import { controlsOf, FieldControl, isSwitch } from "../view/request-form.tsx";
import { TextField } from "../view/text-field.tsx";

interface DraftFormProps {
  /** The draft's id begins those of its controls. */
  id: string;
  fields: DraftFields;
  languages?: NamedTracks["languages"];
  edit(fields: DraftFields): void;
  start(): void;
  /** True if its button is filled. @default true */
  isMain?: boolean;
  /** What its button says, and that it has no name, where it is the form of many drafts. */
  forAll?: string;
}

const EDIT_DELAY = 150;

const METHOD_KEYS = {
  auto: "draft.automatic",
  resumable: "draft.resumable",
  direct: "draft.direct",
} as const;

const openForms = new Map<string, ReturnType<typeof makeForm>>();

/** Shows everything that is wrong in a form, and gives the controls that are, in their order; else what isn't sent is. */
export function checkForm(id: string): HTMLElement[] {
  const wrong = openForms.get(id)?.check() ?? [];
  if (wrong.length === 0) openForms.get(id)?.flush();
  return wrong;
}

export function flushForms(): void {
  for (const { flush } of openForms.values()) flush();
}

export function DraftForm({
  id,
  fields,
  languages = [],
  edit,
  start,
  forAll,
  isMain = true,
}: DraftFormProps): VNode {
  const element = useRef<HTMLFormElement>(null);
  const form = useMemo(() => makeForm(`draft-${id}-`, fields, () => element.current), [id]);
  form.edit = edit;
  form.languages = languages;
  useLayoutEffect(() => {
    openForms.set(id, form);
    element.current?.querySelector("input")?.focus();
    return () => void openForms.delete(id);
  }, [id]);
  useLayoutEffect(() => form.show(fields), [fields]);
  const { prefix, typed } = form;
  const own = {
    prefix,
    typed: typed.value,
    type: form.type,
    problemAt: form.problemAt,
    form: "draft",
  } as const;
  const names = Object.keys(fields.further);
  const choice = (name: "method" | "language", label: string, offered: Languages) => (
    <div class="field">
      <Select
        name={name}
        label={label}
        offered={offered}
        chosen={String(typed.value[name])}
        onChoose={(id) => form.type({ [name]: id })}
      />
    </div>
  );
  return (
    <Form
      ref={element}
      class="draft"
      onChange={form.flush}
      onFocusOut={() => setTimeout(form.showCurrent)}
      submit={start}
    >
      {forAll === undefined && (
        <TextField
          id={`${prefix}name`}
          label={t("draft.name")}
          text={String(typed.value.name)}
          onText={(name) => form.type({ name })}
          onLeave={form.cleanName}
          problem={form.problemAt("name")}
        />
      )}
      {languages.length > 1 && choice("language", t("found.sound"), languages)}
      <div class="bar">
        {FIELD_NAMES.filter(isSwitch).map((name) => (
          <FieldControl key={name} {...own} name={name} />
        ))}
        <Button class={isMain ? "main" : ""} words={forAll ?? t("button.start")} />
      </div>
      <details>
        <summary>{t("draft.more")}</summary>
        {choice(
          "method",
          t("draft.method"),
          METHODS.map((id) => ({ id, label: t(METHOD_KEYS[id]) })),
        )}
        {FIELD_NAMES.filter((name) => !isSwitch(name)).map((name) => (
          <FieldControl key={name} {...own} name={name} />
        ))}
        {names.length > 0 && <p class="quiet">{t("draft.also", { fields: formatList(names) })}</p>}
      </details>
    </Form>
  );
}

type Languages = NonNullable<NamedTracks["languages"]>;

/** Names of what is sent once typing rests. Nobody is told of a mistake elsewhere before it is left. */
const SENT_SOON = ["name", "method", "language", "profiles"];

function makeForm(prefix: string, fields: DraftFields, find: () => HTMLFormElement | null) {
  const typed = signal(typedDraft(fields));
  /** At the last reading: a mistake is told until its control is edited. */
  const tried = signal<Typed>({});
  const reading = computed(() => readFields(typed.value));
  const problems = computed((): Record<string, string> => {
    const problem = nameProblem(String(typed.value.name)) ?? nameProblem(titleOf(typed.value));
    return { ...(problem !== undefined && { name: problem }), ...reading.value.problems };
  });
  /** The fields as the list has them, and as the controls were before the person changed them. */
  let current = fields;
  let before = fields;
  let shown = JSON.stringify(fields);
  let isUnsent = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const form = {
    prefix,
    typed,
    edit(_fields: DraftFields): void {},
    /** Languages may become known while the form is open. */
    languages: [] as Languages,
    problemAt: (name: string) => (tried.value[name] === typed.value[name] ? problems.value[name] : undefined),
    type(changes: Typed): void {
      typed.value = { ...typed.value, ...changes };
      isUnsent = true;
      clearTimeout(timer);
      if (SENT_SOON.some((name) => name in changes)) timer = setTimeout(form.flush, EDIT_DELAY);
    },
    cleanName(): void {
      if (problems.value.name === undefined) form.type({ name: plainText(String(typed.value.name)) });
    },
    /** Shows fields that changed elsewhere, unless the person is at work here. */
    show(fields: DraftFields): void {
      current = fields;
      const given = JSON.stringify(fields);
      if (given === shown || isUnsent || find()?.contains(document.activeElement)) return;
      shown = given;
      before = fields;
      typed.value = typedDraft(fields);
    },
    showCurrent: () => form.show(current),
    /** Sends what isn't sent yet, if it can be sent. */
    flush(): void {
      if (!isUnsent) return;
      isUnsent = false;
      clearTimeout(timer);
      if (form.check().length > 0) return;
      const { name, ...others } = ownFields(typed.value, before, form.languages);
      const after = { name, ...reading.value.value, ...others };
      const given = JSON.stringify(after);
      if (given === shown) return;
      shown = given;
      // Another page may have changed other fields meanwhile.
      current = withChanges(current, before, after);
      before = after;
      form.edit(current);
    },
    /** Shows everything that is wrong, and gives the controls that are, in their order. */
    check(): HTMLElement[] {
      tried.value = typed.value;
      return controlsOf(problems.value, prefix);
    },
  };
  // Hidden characters of the name must not be sent either.
  if (typed.value.name !== fields.name) form.type({});
  return form;
}

function typedDraft(fields: DraftFields): Typed {
  const { name, method, language = "" } = fields;
  return { ...typedFields(fields), name: plainText(name), method, language };
}

const titleOf = ({ name }: Typed): string => plainText(String(name)).trim();

/** The fields that no other form has. `before` has what no control edits. */
function ownFields(typed: Typed, before: DraftFields, languages: Languages): DraftFields {
  const [first] = languages;
  // A language that isn't offered shows the first.
  const chosen = languages.find(({ id }) => id === typed.language)?.id;
  const language = first === undefined ? before.language : chosen;
  return {
    name: titleOf(typed),
    method: METHODS.find((each) => each === typed.method) ?? before.method,
    ...(language !== undefined && language !== first?.id && { language }),
    further: before.further,
  };
}

function withChanges(fields: DraftFields, before: DraftFields, after: DraftFields): DraftFields {
  const changed = { ...fields };
  for (const key of [...REQUEST_FIELD_NAMES, "language", "method"] as const) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue;
    if (after[key] === undefined) delete changed[key as Exclude<typeof key, "name" | "method">];
    else Object.assign(changed, { [key]: after[key] });
  }
  return changed;
}

/** Goes to a control, if there is one, also where it is folded away. */
export function goTo(control: HTMLElement | undefined): void {
  const details = control?.closest("details");
  if (details) details.open = true;
  control?.focus();
}
