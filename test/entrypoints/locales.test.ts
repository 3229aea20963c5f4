import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ERROR_CODES, isErrorCode, REQUEST_FIELD_NAMES, WAITING_REASONS } from "../../core/extension.ts";
import { errorKey } from "../../entrypoints/popup/error-messages.ts";
import { stateKey, waitingKey } from "../../entrypoints/popup/message-catalogue.ts";
import { STATES } from "../../entrypoints/shared/job.ts";
import { PROFILE_FIELDS } from "../../entrypoints/shared/request-fields.ts";
import { SECTIONS } from "../../entrypoints/shared/settings.ts";
import { LANGUAGES, type Language, type Messages, ownMessagesOf } from "../support/extension/catalogue.ts";
import { readSources, type Texts, textsOf } from "../support/extension/sources.ts";

/** What a person never reads in a page, or what is no language. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  // Messages of errors, which a code says in the person's language.
  "the browser stopped the extension",
  "something went wrong inside the extension",
  "the extension was stopped",
  "the browser ended",
  "Cannot upload the file: it holds a text, whatever its name says",
  "the chosen quality or language is no longer offered. Open its page again and take the video from there",
  "Fault",
  "Cannot go on: something went wrong inside the extension. Nothing was sent",
  // For the browser.
  "Uploads chosen files, which takes longer than the popup and the service worker live",
  "Files",
  "Bearer {}",
  "Escape",
  ".buttons :is(button, a):not(.stop)",
  '<meta http-equiv="Content-Security-Policy" content="{}">',
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span",
]);

/** The place of a value in a message. */
const VALUE = /\{(\w+)\}/g;
const CATEGORY = /_(zero|one|two|few|many|other)$/;

/** Of the fields of a request, whose names the table of these has. */
const OF_FIELDS = REQUEST_FIELD_NAMES.flatMap((name) =>
  name === "name" ? [] : [`draft_${name}`, `options_${name}`, `options_${name}Hint`],
);

/** Of the sections of the options, and of the fields of a profile. */
const OF_FORMS = [
  ...SECTIONS.map((section) => `options_${section}`),
  ...PROFILE_FIELDS.map((field) => `form_${field}`),
];

/** Of the codes of errors, the reasons for waiting and the states, whose names core's tables have. */
const OF_CODES = [
  ...Object.keys(ERROR_CODES).filter(isErrorCode).map(errorKey),
  ...WAITING_REASONS.map(waitingKey),
  ...STATES.map(stateKey),
].map((key) => key.replaceAll(".", "_"));

/** English texts that are right in other languages too. Any other text that is equal was not translated. */
const ALSO_RIGHT: Record<Language, readonly string[]> = {
  // The name of the product, and a term that each language takes from English.
  all: ["Upcut", "GOP"],
  // Words that German took from English or shares with it; "in" and "Name" are German.
  de: [
    "Videos",
    "Uploads",
    "Name",
    "{size} in {time}",
    "in {time}",
    "Video",
    "Bitrate",
    "Encoder",
    "Token",
    "Token {ending}",
    "Details",
    "Stream {id}.",
  ],
  // "Video" is Spanish, a token has no other name there, and a minute has the same sign.
  es: ["Videos", "Video", "Token", "Token {ending}", "{time} min"],
  // Indonesian takes words of video and of files from English.
  id: ["Edit", "Video", "Bitrate", "Frame rate", "Encoder", "Token", "Token {ending}"],
  // Words that English took from French, and the sign of a minute.
  fr: ["Options", "Type", "{time} min"],
  // A token has no other name in Portuguese, and a minute has the same sign.
  "pt-BR": ["Token", "Token {ending}", "{time} min"],
};

const english = await ownMessagesOf("en");
let texts: (Texts & { path: string })[] = [];
let manifest = "";

beforeAll(async () => {
  texts = (await readSources()).map((source) => ({ path: source.path, ...textsOf(source) }));
  manifest = await readFile(new URL("../../wxt.config.ts", import.meta.url), "utf8");
});

/** The names of messages that are categories of a plural, without the category. */
function groupsOf(messages: Messages): Set<string> {
  const others = Object.keys(messages).filter((name) => name.endsWith("_other"));
  return new Set(others.map((name) => name.replace(CATEGORY, "")));
}

/** The names of messages, with one for each plural. */
function namesOf(messages: Messages): Set<string> {
  const groups = groupsOf(messages);
  const names = Object.keys(messages).map((name) => {
    const group = name.replace(CATEGORY, "");
    return groups.has(group) ? group : name;
  });
  return new Set(names);
}

function valuesIn(message = ""): Set<string> {
  return new Set([...message.matchAll(VALUE)].map(([, name = ""]) => name));
}

describe.each(LANGUAGES)("the catalogue %s", async (language) => {
  const messages = await ownMessagesOf(language);
  const rules = new Intl.PluralRules(language);
  /** Where it is a single one, the words may say it by themselves. */
  const numbersIn = (category: string) =>
    Array.from({ length: 200 }, (_, number) => number).filter((number) => rules.select(number) === category);

  test("has the keys of the English one, and of each plural what the language needs", () => {
    expect([...namesOf(messages)].sort()).toEqual([...namesOf(english)].sort());
    const needed = rules.resolvedOptions().pluralCategories.toSorted();
    for (const group of groupsOf(english)) {
      const names = Object.keys(messages).filter((name) => name.replace(CATEGORY, "") === group);
      expect(names.map((name) => name.slice(group.length + 1)).sort(), group).toEqual(needed);
    }
  });

  test("has the values of the English one in each message", () => {
    for (const [name, message] of Object.entries(messages)) {
      const expected = valuesIn(english[name] ?? english[name.replace(CATEGORY, "_other")]);
      const found = valuesIn(message);
      const [, category] = CATEGORY.exec(name) ?? [];
      if (category !== undefined && numbersIn(category).length === 1 && !found.has("count"))
        expected.delete("count");
      expect(found, name).toEqual(expected);
    }
  });

  test("leaves no message empty, and names its own language", () => {
    for (const [name, message] of Object.entries(messages)) expect(message.trim(), name).not.toBe("");
    expect(messages.language).toBe(language);
    expect(messages.direction).toBe(language === "ar" ? "rtl" : "ltr");
  });

  test.skipIf(language === "en")("has no text that was left in English", () => {
    const left = Object.entries(messages).filter(
      ([name, text]) => name !== "direction" && text === english[name],
    );
    const words = left.map(([, text]) => text).filter((text) => /\p{L}/u.test(text.replace(VALUE, "")));
    expect(new Set(words)).toEqual(new Set([...(ALSO_RIGHT.all ?? []), ...(ALSO_RIGHT[language] ?? [])]));
  });

  test("has names that Chrome takes and can tell apart", () => {
    const names = Object.keys(messages);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]+$/i);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });
});

describe("the sources", () => {
  test("use every message", () => {
    const named = texts.flatMap(({ strings }) => strings.map((each) => each.replaceAll(".", "_")));
    // What came of ending a stream has a hint of the same name.
    const hints = named.filter((name) => name.startsWith("outcome_")).map((name) => `${name}Hint`);
    const used = new Set([...named, ...hints, ...OF_FIELDS, ...OF_FORMS, ...OF_CODES]);
    const unused = [...namesOf(english)].filter(
      (name) => !used.has(name) && !manifest.includes(`__MSG_${name}__`),
    );
    expect(unused).toEqual([]);
  });

  test("name no language of a page before its script has chosen one, so that no browser translates it", async () => {
    for (const page of ["popup", "options", "terminate"]) {
      const source = await readFile(new URL(`../../entrypoints/${page}/index.html`, import.meta.url), "utf8");
      expect(source, page).toContain('<html translate="no">');
    }
  });

  test("use no message that is missing", () => {
    const names = namesOf(english);
    expect(OF_FIELDS.filter((name) => !names.has(name))).toEqual([]);
    const groups = new Set([...names].map((name) => name.split("_")[0]));
    const isKey = (text: string) => /^\w+\.\w+$/.test(text) && groups.has(text.split(".")[0]);
    for (const { path, strings } of texts) {
      const missing = strings.filter((text) => isKey(text) && !names.has(text.replace(".", "_")));
      expect(missing, path).toEqual([]);
    }
  });

  test("say nothing that is not in the catalogue", () => {
    const found = texts.flatMap(({ path, hardCoded }) =>
      hardCoded.filter((text) => !NOT_SHOWN.has(text)).map((text) => `${path}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  test("have each of the exceptions", () => {
    const found = new Set(texts.flatMap(({ hardCoded }) => hardCoded));
    expect([...NOT_SHOWN].filter((text) => !found.has(text))).toEqual([]);
  });
});

test("the offscreen document has no module that reads the catalogue", async () => {
  const sources = new Map((await readSources()).map(({ path, text }) => [path, text]));
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, from = ""] of (sources.get(path) ?? "").matchAll(
      /^(?:import(?! type)|\}) .*?from "(\..+)";$/gm,
    ))
      reach(posix.join(posix.dirname(path), from));
  };
  reach("offscreen/main.ts");
  expect(reached).toContain("offscreen/drafts.ts");
  expect(reached).not.toContain("shared/translate.ts");
});

describe("the search for hard-coded texts", () => {
  test.each([
    ["a sentence", "row.ts", 'note(row, "Without this permission the upload can\'t continue.");', 1],
    ["a sentence with values", "row.ts", `announce(\`Upload \${count} videos\`);`, 1],
    ["a single word", "row.ts", 'button.textContent = busy ? "Ending…" : "Close";', 2],
    ["a text between tags", "row.tsx", "<p id={id}>End this upload?</p>", 1],
    ["a label", "row.tsx", "<input aria-label={`The file of ${name}`} />", 1],
    ["a text of a page", "index.html", "<title>Upcut</title><body><p>No uploads yet</p></body>", 1],
    ["a title of a page", "index.html", "<title>Uploads</title><body></body>", 1],
  ])("finds %s", (_, path, text, count) => {
    expect(textsOf({ path, text }).hardCoded).toHaveLength(count);
  });

  test.each([
    ["a key", "row.ts", 'note(row, t("row.hostRefused"));'],
    ["an error", "row.ts", 'throw new Error("Cannot read the list");'],
    ["a type", "row.ts", 'let state: "Not started" | undefined;'],
    ["an element without words", "row.tsx", '<p class="state">{words} · {more}</p>'],
    ["an example of an address", "row.tsx", '<input placeholder="https://video.example" />'],
  ])("leaves out %s", (_, path, text) => {
    expect(textsOf({ path, text }).hardCoded).toEqual([]);
  });
});
