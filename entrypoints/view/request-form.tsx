/** The fields of a create-asset request, as the options and a draft's form edit them. Needs `form.css`. */
import type { VNode } from "preact";
import { REQUEST_FIELDS, type RequestFields } from "../../core/extension.ts";
import { formatNumber } from "../shared/format.ts";
import { INTEGERS, newProfile, PROFILE_FIELDS, profileRows, type Typed } from "../shared/request-fields.ts";
import { type PlainKey, t } from "../shared/translate.ts";
import { Button } from "./actions.tsx";
import { Check } from "./choice.tsx";
import { TextField, type TextFieldProps } from "./text-field.tsx";

export interface TypedForm {
  /** Begins the ids of its controls. */
  prefix?: string;
  typed: Typed;
  type(changes: Typed): void;
  problemAt(name: string): string | undefined;
}

interface RequestFieldProps extends TypedForm {
  name: keyof RequestFields;
  /** Begins the names of its messages. */
  form: "draft" | "options";
}

export const isSwitch = (name: keyof RequestFields): boolean => REQUEST_FIELDS[name].control === "switch";

export function FieldControl({ name, form, ...own }: RequestFieldProps): VNode {
  const { prefix = "", typed, type } = own;
  const label = t(`${form}.${name}` as PlainKey);
  const hint = form === "options" ? t(`options.${name}Hint` as PlainKey) : undefined;
  const group = (controls: VNode) => (
    <div class="group">
      {form === "draft" ? <h4>{label}</h4> : <h3>{label}</h3>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      {controls}
    </div>
  );
  switch (REQUEST_FIELDS[name].control) {
    case "text":
      return <Text {...own} name={name} label={label} hint={hint} />;
    case "switch":
      return (
        <Check
          id={prefix + name}
          label={label}
          hint={hint}
          isChecked={typed[name] === true}
          onCheck={(isChecked) => type({ [name]: isChecked })}
        />
      );
    case "policy":
      return group(<Policy {...own} />);
    case "profiles":
      return group(<Profiles {...own} />);
  }
}

/** The controls that something is wrong with, in their order. */
export function controlsOf(problems: Record<string, string>, prefix = ""): HTMLElement[] {
  const follows = (one: Element, other: Element) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING;
  return Object.keys(problems)
    .flatMap((name) => document.getElementById(prefix + name) ?? [])
    .sort((one, other) => (follows(one, other) ? 1 : -1));
}

/** Once what was there instead is drawn no more. */
export function focusSoon(id: string): void {
  queueMicrotask(() => document.getElementById(id)?.focus());
}

interface TextProps extends TypedForm, Omit<TextFieldProps, "id" | "text" | "type" | "onText" | "problem"> {
  name: string;
}

export function Text({ prefix = "", typed, type, problemAt, name, ...more }: TextProps): VNode {
  return (
    <TextField
      id={prefix + name}
      text={String(typed[name] ?? "")}
      onText={(text) => type({ [name]: text })}
      problem={problemAt(name)}
      {...more}
    />
  );
}

function Policy(own: TypedForm): VNode {
  const code = { class: "code", rows: 3, kind: "half" };
  return (
    <div class="policy">
      <Text {...own} name="policy-type" label={t("form.type")} suggestions={["webhook"]} />
      <Text {...own} name="policy-webhookId" label={t("form.webhookId")} />
      <Text {...own} name="policy-refreshInterval" label={t("form.refreshInterval")} inputMode="numeric" />
      <Text
        {...own}
        {...code}
        name="policy-webhookContext"
        label={t("form.webhookContext")}
        hint={t("form.webhookContextHint")}
      />
      <Text
        {...own}
        {...code}
        name="policy-allowedOrigins"
        label={t("form.allowedOrigins")}
        hint={t("form.allowedOriginsHint")}
      />
    </div>
  );
}

const WIDE = ["name", "profile"];
const SUGGESTIONS: Partial<Record<string, string[]>> = { encoder: ["H.264"], profile: ["H264Baseline"] };

function Profiles(own: TypedForm): VNode {
  const { prefix = "", typed, type } = own;
  const rows = profileRows(typed);

  function add(): void {
    const row = Math.max(0, ...rows) + 1;
    type({ ...newProfile(row), profiles: [...rows, row].join() });
    focusSoon(`${prefix}profiles-${row}-name`);
  }

  function remove(row: number): void {
    const left = rows.filter((each) => each !== row);
    type({ profiles: left.join() });
    const next = left[rows.indexOf(row)] ?? left.at(-1);
    focusSoon(`${prefix}profiles-${next === undefined ? "add" : `${next}-remove`}`);
  }

  return (
    <div class="profiles">
      <div class="profile-rows">
        {rows.map((row, index) => {
          const number = formatNumber(index + 1);
          return (
            <fieldset key={row} class="profile">
              <legend>{t("form.profile", { number })}</legend>
              <Button
                id={`${prefix}profiles-${row}-remove`}
                class="small"
                words={t("form.remove")}
                aria-label={t("form.removeProfile", { number })}
                act={() => remove(row)}
              />
              <div class="profile-fields">
                {PROFILE_FIELDS.map((field) => (
                  <Text
                    key={field}
                    {...own}
                    name={`profiles-${row}-${field}`}
                    label={t(field === "profile" ? "form.codecProfile" : `form.${field}`)}
                    kind={WIDE.includes(field) ? "wide" : ""}
                    suggestions={SUGGESTIONS[field]}
                    {...(INTEGERS.includes(field) && { inputMode: "numeric" })}
                  />
                ))}
              </div>
            </fieldset>
          );
        })}
      </div>
      <Button id={`${prefix}profiles-add`} words={t("form.addProfile")} act={add} />
    </div>
  );
}
