/** Controls that edit a setting, one for each kind. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isSimple } from "../shared/request-form.ts";
import { SETTINGS, type Setting, type SettingName } from "../shared/settings.ts";
import { siteOf } from "../shared/stream-pages.ts";
import { type MessageKey, type PlainKey, t } from "../shared/translate.ts";
import { Check, Choice } from "../view/choice.tsx";
import { TextField } from "../view/text-field.tsx";
import { further, problemAt, requestEditors, saved, type, typed } from "./form.ts";

interface ControlProps {
  name: SettingName;
  entry: Setting<unknown>;
}

/** The control of a setting. */
export function Control({ name }: { name: SettingName }): VNode | null {
  const entry = SETTINGS[name] as Setting<unknown>;
  const { control, isUsed } = entry;
  if (control === undefined || (isUsed && !isUsed(typed.value))) return null;
  const Kind = CONTROLS[control];
  return <Kind name={name} entry={entry} />;
}

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
      onCheck={(isChecked) => type(name, isChecked)}
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
      onChoose={(value) => type(name, value)}
    />
  );
}

interface TextProps {
  id: string;
  label: string;
  hint?: string | undefined;
  class?: string;
  kind?: string;
  placeholder?: string;
  rows?: number;
  inputMode?: "numeric";
}

/** A text as it was typed; all of these are read from left to right. */
function Text({ id, ...more }: TextProps): VNode {
  const text = String(typed.value[id] ?? "");
  return (
    <TextField
      id={id}
      text={text}
      onText={(now) => type(id, now)}
      problem={problemAt(id)}
      dir="ltr"
      {...more}
    />
  );
}

function TextControl({ name, entry }: ControlProps): VNode {
  const texts = { id: name, label: labelOf(entry), hint: hintOf(entry) };
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
  return (
    <>
      <Text
        id="path-requestUpload"
        label={t("options.uploadPath")}
        class="code"
        placeholder="/api/asset/request-upload"
      />
      <Text
        id="path-terminate"
        label={t("options.endPath")}
        hint={t("options.endPathHint", {} as never)}
        class="code"
        placeholder="/stream/{id}/terminate"
      />
      <Text id="path-asset" label={t("options.assetPath")} hint={t("options.assetPathHint")} class="code" />
    </>
  );
}

/** The fields of a request: their editors hold what is typed, until it is read. */
function RequestControl(): VNode {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    for (const { control, label, name, element } of requestEditors) {
      if (!isSimple(control)) {
        const title = Object.assign(document.createElement("h3"), { textContent: label });
        const hint = { className: "hint", textContent: t(`options.${name}Hint` as PlainKey) };
        host.current?.append(title, Object.assign(document.createElement("p"), hint));
      }
      host.current?.append(element);
    }
    host.current?.append(further.element);
  }, []);
  return <div class="fields" ref={host} onInput={() => type("fields", crypto.randomUUID())} />;
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
