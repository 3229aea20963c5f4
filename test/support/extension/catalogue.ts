/** The message catalogue as the browser gives it to the extension. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generateChromeMessages, parseMessagesFile } from "@wxt-dev/i18n/build";

const FOLDER = new URL("../../../entrypoints/locales/", import.meta.url);

/** A language tag, such as `pt-BR`: the name of the file that holds its texts. */
export type Language = string;

/** Each language that has a file, English first. */
export const LANGUAGES: readonly Language[] = readdirSync(FOLDER)
  .map((file) => file.replace(/\.yml$/, ""))
  .sort((one, other) => Number(other === "en") - Number(one === "en") || one.localeCompare(other));

/** Messages by their names in the built extension, where a dot is an underscore. */
export type Messages = Record<string, string>;

export function catalogueFile(language: Language): string {
  return fileURLToPath(new URL(`${language}.yml`, FOLDER));
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

/** The same languages, with the one whose texts take the most room right after English: layouts are tested in these two. */
export async function languagesByRoom(): Promise<Language[]> {
  const english = await ownMessagesOf("en");
  const room = new Map<Language, number>();
  for (const language of LANGUAGES) {
    const own = await ownMessagesOf(language);
    const ratios = Object.entries(english).map(([name, text]) => widthOf(own[name] ?? text) / widthOf(text));
    room.set(
      language,
      ratios.reduce((sum, ratio) => sum + ratio, 0),
    );
  }
  const others = LANGUAGES.slice(1).sort((one, other) => (room.get(other) ?? 0) - (room.get(one) ?? 0));
  return ["en", ...others];
}

/** In letters of the Latin alphabet: those of Chinese and Japanese are twice as wide, and marks stand above others. */
function widthOf(text: string): number {
  const shown = text.replace(/\p{M}/gu, "");
  return (
    shown.length + (shown.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0)
  );
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
