/** The form of the settings. Its state is what is typed and what is saved; everything else is derived from both. */
import { batch, computed, signal } from "@preact/signals";
import * as v from "valibot";
import { PREFIXED_PATHS } from "../../core/extension.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { jsonText, readFields, readFurther, type Typed, typedFields } from "../shared/request-fields.ts";
import {
  DEFAULT_SETTINGS,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
} from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { controlsOf } from "../view/request-form.tsx";
import { pathProblem, playbackPageProblem, streamPageProblem, streamPagesProblem } from "./checks.ts";

const PATH_NAMES = Object.keys(DEFAULT_SETTINGS.paths) as (keyof Settings["paths"])[];

/** The settings that the form has controls for. */
type EditedSettings = Omit<Settings, "address" | "accountName">;

export const saved = signal<Settings>(DEFAULT_SETTINGS);
export const typed = signal<Typed>(typedOf(DEFAULT_SETTINGS));
/** Values at the last try to save: a mistake is told until its control is edited. */
const tried = signal<Typed>({});
export const isChanged = computed(() => !isSame(typed.value, typedOf(saved.value)));

export function settingsIn(section: string): SettingName[] {
  return SETTING_NAMES.filter((name) => {
    const entry = SETTINGS[name] as Setting<unknown>;
    return entry.section === section && !(IS_FIREFOX && entry.isOfChromium);
  });
}

/** True if a section holds something that the person has changed. */
export function differs(section: string): boolean {
  const now = { ...saved.value, paths: withoutFound(saved.value.paths) };
  return settingsIn(section).some((name) => !isSame(now[name], DEFAULT_SETTINGS[name]));
}

/** The paths without those that the check of an account finds by itself. */
function withoutFound(paths: Settings["paths"]): object {
  const found = Object.values(PREFIXED_PATHS);
  return Object.fromEntries(PATH_NAMES.map((name) => [name, found.includes(paths[name]) ? "" : paths[name]]));
}

export function fill(settings: Settings): void {
  batch(() => {
    saved.value = settings;
    typed.value = typedOf(settings);
  });
}

export function type(changes: Typed): void {
  typed.value = { ...typed.value, ...changes };
}

export function problemAt(id: string): string | undefined {
  return tried.value[id] === typed.value[id] ? problems.value[id] : undefined;
}

/** Reads what is typed, or marks every control that is wrong and gives them in their order. */
export function check(): { settings: EditedSettings } | { wrong: HTMLElement[] } {
  tried.value = typed.value;
  if (Object.keys(problems.value).length > 0) return { wrong: controlsOf(problems.value) };
  const edited = SETTING_NAMES.filter((name) => (SETTINGS[name] as Setting<unknown>).control !== undefined);
  const values = edited.map((name) => [name, readValue(name, SETTINGS[name] as Setting<unknown>)]);
  return { settings: Object.fromEntries(values) as EditedSettings };
}

function typedOf(settings: Settings): Typed {
  const entries = SETTING_NAMES.map((name) => {
    const value = settings[name];
    if (Array.isArray(value)) return [name, value.join("\n")];
    return [name, typeof value === "boolean" ? value : typeof value === "object" ? "" : String(value)];
  });
  const paths = PATH_NAMES.map((name) => [`path-${name}`, settings.paths[name]]);
  const further = jsonText(settings.fields.further);
  return {
    ...Object.fromEntries([...entries, ...paths]),
    ...typedFields(settings.fields),
    "request-further": further,
  };
}

function textAt(id: string): string {
  return String(typed.value[id] ?? "").trim();
}

function readValue(name: SettingName, { control }: Setting<unknown>): unknown {
  switch (control) {
    case "request":
      return { ...readFields(typed.value).value, further: furtherFields() };
    case "switch":
      return typed.value[name];
    case "whole-number":
      return textAt(name) === "" ? Number.NaN : Number(textAt(name));
    case "pages":
      return textAt(name)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
    case "paths":
      return Object.fromEntries(PATH_NAMES.map((name) => [name, textAt(`path-${name}`)]));
    case "choice":
    case "expression":
    case "watch-page":
    case undefined:
      return textAt(name);
    default:
      return control satisfies never;
  }
}

function furtherFields(): Record<string, unknown> {
  const read = readFurther(textAt("request-further"));
  return "value" in read ? read.value : {};
}

/** Mistakes in what is typed, by the ids of the controls. */
const problems = computed(() => {
  const found: Record<string, string | undefined> = {};
  const further = readFurther(textAt("request-further"));
  if ("problems" in further) found["request-further"] = further.problems.further;
  Object.assign(found, readFields(typed.value).problems);
  for (const name of PATH_NAMES) found[`path-${name}`] = pathProblem(name, textAt(`path-${name}`));
  for (const name of SETTING_NAMES) found[name] = problemWith(name, SETTINGS[name] as Setting<unknown>);
  const wrong = Object.entries(found).filter(([, problem]) => problem !== undefined);
  return Object.fromEntries(wrong) as Record<string, string>;
});

function problemWith(name: SettingName, entry: Setting<unknown>): string | undefined {
  const { control, schema, problem, isUsed } = entry;
  // A setting that isn't used isn't seen either.
  if (isUsed && !isUsed(typed.value)) return undefined;
  const value = readValue(name, entry);
  if (problem !== undefined && !v.is(schema, value)) return t(problem);
  if (control === "expression") return streamPageProblem(value as string);
  if (control === "watch-page") return playbackPageProblem(value as string);
  return control === "pages" ? streamPagesProblem(value as string[]) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
