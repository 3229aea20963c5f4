/**
 * The sentences of the message catalogue in the browser's language: the one place that reads it.
 *
 * Not for the offscreen document, which has no `chrome.i18n`: it sends codes, and pages choose the words.
 */

import type { GeneratedI18nStructure } from "#i18n";
import { plainText } from "../../core/extension.ts";
import { isolate } from "./isolates.ts";

type Structure = GeneratedI18nStructure;
type AnyKey = Exclude<keyof Structure, `@@${string}`>;
type Category = Intl.LDMLPluralRule;

/** A group of messages that counts something: one for each category of the language's plural. */
export type PluralKey = AnyKey extends infer Each
  ? Each extends `${infer Group}.other`
    ? Group
    : never
  : never;

/** A message that is no category of a plural. */
export type MessageKey = Exclude<AnyKey, `${PluralKey}.${Category}`>;

type NamesIn<Key> = Key extends keyof Structure
  ? Structure[Key] extends { namedSubstitutions: readonly (infer Name extends string)[] }
    ? Name
    : never
  : never;

/** A message that needs no values. */
export type PlainKey = MessageKey extends infer Each
  ? Each extends MessageKey
    ? [NamesIn<Each>] extends [never]
      ? Each
      : never
    : never
  : never;

type Values<Name extends string> = [Name] extends [never] ? [] : [values: Record<Name, string>];

/**
 * A message with its values put in.
 *
 * @param values texts of others, or figures that are formatted already
 */
export function t<Key extends MessageKey>(key: Key, ...[values]: Values<NamesIn<Key>>): string {
  return fill(read(key), values);
}

/** A message that counts something, in the category that the language has for this number; `{count}` is the number. */
export function plural<Key extends PluralKey>(
  key: Key,
  count: number,
  ...[values]: Values<Exclude<NamesIn<`${Key}.other`>, "count">>
): string {
  const category = new Intl.PluralRules(language()).select(count);
  const message = find(`${key}.${category}`) || read(`${key}.other`);
  return fill(message, { ...values, count: new Intl.NumberFormat(language()).format(count) });
}

/** The language tag of the catalogue that is used; the browser's own where that is a region of the same language. */
export function language(): string {
  const tag = read("language");
  // Node has no navigator before version 21.
  const own = (globalThis as { navigator?: { language?: string } }).navigator?.language ?? tag;
  return own.startsWith(`${tag}-`) ? own : tag;
}

export function direction(): "ltr" | "rtl" {
  return read("direction") === "rtl" ? "rtl" : "ltr";
}

/** Sentences one after another. The wide full stop of Chinese and Japanese has the space behind it in itself. */
export function joinSentences(sentences: readonly (string | false | undefined)[]): string {
  let all = "";
  for (const each of sentences) if (each) all += all === "" || /[。？！]$/.test(all) ? each : ` ${each}`;
  return all;
}

/** A text that is no sentence, such as a size, as part of a line: it must not be turned around. */
export function figure(text: string): string {
  if (text === "") return "";
  return direction() === "rtl" || RIGHT_TO_LEFT.test(text) ? isolate(text) : plainText(text);
}

const RIGHT_TO_LEFT =
  /[\p{Script=Arab}\p{Script=Hebr}\p{Script=Syrc}\p{Script=Thaa}\p{Script=Nkoo}\p{Script=Adlm}]/u;

/** The message as it stands in the catalogue; its key, should there be none. */
function read(key: string): string {
  return find(key) || key;
}

/** What was read before: a row of the list needs twenty messages, and a call of the browser for each would add up. */
const known = new WeakMap<object, Map<string, string>>();

function find(key: string): string {
  const { i18n } = chrome;
  const messages = known.get(i18n) ?? new Map<string, string>();
  known.set(i18n, messages);
  const message = messages.get(key) ?? i18n.getMessage(key.replaceAll(".", "_"));
  messages.set(key, message);
  return message;
}

function fill(message: string, values: Partial<Record<string, string>> = {}): string {
  return message.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : figure(value);
  });
}
