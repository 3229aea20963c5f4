/** Controls that edit a setting, one for each kind. */
import type { VNode } from "preact";
import { FIELD_NAMES, SETTINGS, type Setting, type SettingName } from "../shared/settings.ts";
import { siteOf } from "../shared/stream-pages.ts";
import { type MessageKey, type PlainKey, t } from "../shared/translate.ts";
import { Check, Choice } from "../view/choice.tsx";
import { FieldControl, Text } from "../view/request-form.tsx";
import { problemAt, saved, type, typed } from "./form.ts";

interface ControlProps {
  name: SettingName;
  entry: Setting<unknown>;
}

export function Control({ name }: { name: SettingName }): VNode | null {
  const entry = SETTINGS[name] as Setting<unknown>;
  const { control, isUsed } = entry;
  if (control === undefined || (isUsed && !isUsed(typed.value))) return null;
  const Kind = CONTROLS[control];
  return <Kind name={name} entry={entry} />;
}

const form = () => ({ typed: typed.value, type, problemAt });
const labelOf = ({ label }: { label?: PlainKey }) => (label === undefined ? "" : t(label));

/** A hint, which may name the site of the service. */
function hintOf({ hint }: { hint?: MessageKey }): string | undefined {
  const values = { site: siteOf(saved.value.address) };
  return hint && t(hint as "streamMenu.serviceHint", values);
}

function SwitchControl({ name, entry }: ControlProps): VNode {
  return (
    <Check
      id={name}
      label={labelOf(entry)}
      hint={hintOf(entry)}
      isChecked={typed.value[name] === true}
      onCheck={(isChecked) => type({ [name]: isChecked })}
    />
  );
}

function ChoiceControl({ name, entry }: ControlProps): VNode {
  const values = (entry.choices ?? []).map((choice) => ({
    value: String(choice.value),
    label: t(choice.label),
    hint: hintOf(choice),
  }));
  return (
    <Choice
      name={name}
      label={labelOf(entry)}
      values={values}
      chosen={String(typed.value[name])}
      onChoose={(value) => type({ [name]: value })}
    />
  );
}

function TextControl({ name, entry }: ControlProps): VNode {
  // All of these are read from left to right.
  const texts = { ...form(), name, label: labelOf(entry), hint: hintOf(entry), dir: "ltr" as const };
  switch (entry.control) {
    case "whole-number":
      return <Text {...texts} kind="short" inputMode="numeric" />;
    case "pages":
      return <Text {...texts} class="code" rows={3} />;
    case "watch-page":
      return <Text {...texts} placeholder="https://video.example/watch/{playbackId}" />;
    default:
      return <Text {...texts} class="code" />;
  }
}

function PathsControl(): VNode {
  const code = { ...form(), class: "code", dir: "ltr" as const };
  return (
    <>
      <Text
        {...code}
        name="path-requestUpload"
        label={t("options.uploadPath")}
        placeholder="/api/asset/request-upload"
      />
      <Text
        {...code}
        name="path-terminate"
        label={t("options.endPath")}
        hint={t("options.endPathHint", {} as never)}
        placeholder="/stream/{id}/terminate"
      />
      <Text {...code} name="path-asset" label={t("options.assetPath")} hint={t("options.assetPathHint")} />
    </>
  );
}

function RequestControl(): VNode {
  const further = { label: t("form.further"), hint: t("form.furtherHint") };
  return (
    <>
      {FIELD_NAMES.map((name) => (
        <FieldControl key={name} {...form()} name={name} form="options" />
      ))}
      <Text {...form()} {...further} name="request-further" class="code" rows={4} />
    </>
  );
}

const CONTROLS: Record<NonNullable<Setting<unknown>["control"]>, (props: ControlProps) => VNode> = {
  switch: SwitchControl,
  choice: ChoiceControl,
  "whole-number": TextControl,
  pages: TextControl,
  expression: TextControl,
  "watch-page": TextControl,
  paths: PathsControl,
  request: RequestControl,
};
