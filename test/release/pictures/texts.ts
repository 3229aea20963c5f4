/** The words in the pictures, by their keys: those of docs/store/pictures. */
import { fileURLToPath } from "node:url";
import { generateChromeMessages, parseMessagesFile } from "@wxt-dev/i18n/build";
import type { Language } from "../../support/extension/catalogue.ts";

export type Say = (key: string) => string;

export async function textsOf(language: Language): Promise<Record<string, string>> {
  const file = fileURLToPath(new URL(`../../../docs/store/pictures/${language}.yml`, import.meta.url));
  const messages = generateChromeMessages(await parseMessagesFile(file));
  return Object.fromEntries(Object.entries(messages).map(([name, { message }]) => [name, message]));
}

/** Reads texts by keys with dots. @throws for a key that isn't there */
export function sayOf(texts: Record<string, string>): Say {
  return (key) => {
    const text = texts[key.replaceAll(".", "_")];
    if (text === undefined) throw new Error(`Cannot make the pictures: they have no text "${key}"`);
    return text;
  };
}
