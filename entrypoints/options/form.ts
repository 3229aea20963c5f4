/** The form of the settings. Its state is what is typed and what is saved; everything else is derived from both. */
import { batch, computed, signal } from "@preact/signals";
import * as v from "valibot";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import { makeFurtherEditor, makeRequestEditors, readFields, writeFields } from "../shared/request-form.ts";
import {
  DEFAULT_SETTINGS,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
} from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { pathProblem, playbackPageProblem, streamPageProblem, streamPagesProblem } from "./checks.ts";

/** Values of the controls, by their ids. */
type Typed = Readonly<Record<string, string | boolean>>;

const PATH_NAMES = Object.keys(DEFAULT_SETTINGS.paths) as (keyof Settings["paths"])[];

/** The settings as they are stored. */
export const saved = signal<Settings>(DEFAULT_SETTINGS);
export const typed = signal<Typed>(typedOf(DEFAULT_SETTINGS));
/** Values at the last try to save: a mistake is told until its control is edited. */
const tried = signal<Typed>({});
export const isChanged = computed(() => !isSame(typed.value, typedOf(saved.value)));

/** The fields of a request are typed into editors of their own; `typed` has a mark for each edit. */
export const requestEditors = makeRequestEditors("options");
export const further = makeFurtherEditor("request");

/** The settings that a section shows in this browser. */
export function settingsIn(section: string): SettingName[] {
  return SETTING_NAMES.filter((name) => {
    const entry = SETTINGS[name] as Setting<unknown>;
    return entry.section === section && !(IS_FIREFOX && entry.isOfChromium);
  });
}

/** True if a section holds something that isn't as it is at first. */
export function differs(section: string): boolean {
  return settingsIn(section).some((name) => !isSame(saved.value[name], DEFAULT_SETTINGS[name]));
}

/** Shows what is stored. */
export function fill(settings: Settings): void {
  batch(() => {
    saved.value = settings;
    typed.value = typedOf(settings);
  });
  writeFields(requestEditors, settings.fields);
  further.write(settings.fields.further);
}

export function type(id: string, value: string | boolean): void {
  typed.value = { ...typed.value, [id]: value };
}

export function problemAt(id: string): string | undefined {
  return tried.value[id] === typed.value[id] ? problems.value[id] : undefined;
}

/** Reads what is typed, or marks every control that is wrong and gives them in their order. */
export function check(): { settings: Settings } | { wrong: Element[] } {
  tried.value = typed.value;
  const fields = readFields(requestEditors);
  const more = further.read();
  if ("value" in fields && "value" in more && Object.keys(problems.value).length === 0)
    return { settings: { ...values(), fields: { ...fields.value, further: more.value } } };
  const elements = Object.keys(problems.value).map((id) => document.getElementById(id));
  const wrong = [...elements, ...wrongIn(fields), ...wrongIn(more)].filter((each) => each !== null);
  const follows = (one: Element, other: Element) => one.compareDocumentPosition(other) & 2;
  return { wrong: wrong.sort((one, other) => (follows(one, other) ? 1 : -1)) };
}

const wrongIn = (read: { value: unknown } | { wrong: HTMLElement[] }) => ("wrong" in read ? read.wrong : []);

function typedOf(settings: Settings): Typed {
  const entries = SETTING_NAMES.map((name) => {
    const value = settings[name];
    if (Array.isArray(value)) return [name, value.join("\n")];
    return [name, typeof value === "boolean" ? value : typeof value === "object" ? "" : String(value)];
  });
  const paths = PATH_NAMES.map((name) => [`path-${name}`, settings.paths[name]]);
  return Object.fromEntries([...entries, ...paths]);
}

function textAt(id: string): string {
  return String(typed.value[id] ?? "").trim();
}

/** The settings as they are typed, but for the fields of a request. */
function values(): Settings {
  const entries = SETTING_NAMES.map((name) => [name, readValue(name, SETTINGS[name] as Setting<unknown>)]);
  return Object.fromEntries(entries) as Settings;
}

function readValue(name: SettingName, { control }: Setting<unknown>): unknown {
  switch (control) {
    case undefined:
    case "request":
      return saved.value[name];
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
    default:
      return textAt(name);
  }
}

/** Mistakes in what is typed, by the ids of the controls. */
const problems = computed(() => {
  const found: Record<string, string | undefined> = {};
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
