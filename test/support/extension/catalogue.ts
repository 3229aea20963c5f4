/** The message catalogue as the browser gives it to the extension. */
import { fileURLToPath } from "node:url";
import { generateChromeMessages, parseMessagesFile } from "@wxt-dev/i18n/build";

export const LANGUAGES = ["en", "de", "ar"] as const;

export type Language = (typeof LANGUAGES)[number];

/** Messages by their names in the built extension, where a dot is an underscore. */
export type Messages = Record<string, string>;

export function catalogueFile(language: Language): string {
  return fileURLToPath(new URL(`../../../entrypoints/locales/${language}.yml`, import.meta.url));
}

/** A language's messages, and English ones for what it lacks, as Chrome does. */
export async function messagesOf(language: Language): Promise<Messages> {
  const own = await ownMessagesOf(language);
  return language === "en" ? own : { ...(await ownMessagesOf("en")), ...own };
}

export function ownMessagesOf(language: Language): Promise<Messages> {
  const known = read.get(language) ?? readMessages(language);
  read.set(language, known);
  return known;
}

/** Each is read once: a page is opened with them again and again. */
const read = new Map<Language, Promise<Messages>>();

async function readMessages(language: Language): Promise<Messages> {
  const messages = generateChromeMessages(await parseMessagesFile(catalogueFile(language)));
  return Object.fromEntries(Object.entries(messages).map(([name, { message }]) => [name, message]));
}

/** Gives this process the part of the extension's API that reads messages. */
export async function speak(language: Language): Promise<void> {
  const messages = await messagesOf(language);
  const i18n = { getMessage: (name: string) => messages[name] ?? "" };
  const browser = (globalThis as { chrome?: object }).chrome;
  Object.assign(globalThis, { chrome: { ...browser, i18n } });
  // Where there is one, it has the language of this machine.
  if ("navigator" in globalThis)
    Object.defineProperty(navigator, "language", { value: language, configurable: true });
}
