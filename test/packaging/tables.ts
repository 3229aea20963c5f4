/**
 * The tables of documents that say what a table of the sources says: options, fields, settings and error codes.
 *
 * `npm run tables` writes them anew; documents.test.ts compares them.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPTION_LIST } from "../../core/cli/options.ts";
import { ERROR_CODES, errorFacts } from "../../core/error-codes.ts";
import { REQUEST_FIELD_NAMES, REQUEST_FIELDS } from "../../core/service/request-fields.ts";
import { SECTIONS, SETTING_NAMES, SETTINGS, type Setting } from "../../entrypoints/shared/settings.ts";
import { messagesOf } from "../entrypoints/catalogue.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Row = string[];

/** The tables, by the names that documents have for them. */
const TABLES: Record<string, () => Promise<Row[]>> = {
  client: () => optionRows("core/client.ts", "ClientOptions"),
  upload: () => optionRows("core/upload/options.ts", "UploadOptions"),
  "request fields": requestFieldRows,
  "many uploads": () => optionRows("core/many/options.ts", "UploadAllOptions"),
  journals: () => optionRows("core/journal/terms.ts", "JournalOptions"),
  addresses: () => optionRows("core/source/open-url.ts", "UrlOptions"),
  pieces: () => optionRows("core/hls/options.ts", "HlsOptions"),
  "command line": async () => OPTION_LIST.map(({ name, facts }) => [flag(name, facts.value), facts.help]),
  extension: settingRows,
  errors: errorRows,
};

const BETWEEN = /(<!-- table: ([a-z ]+) -->\n\n(?:.*\n){2})[\s\S]*?(\n<!-- end of table -->)/g;

/** A document with its tables written anew: the rows below each head that stands between two comments. */
export async function withTables(document: string): Promise<string> {
  const found = [...document.matchAll(BETWEEN)];
  const rows = await Promise.all(found.map(async ([, , name = ""]) => await rowsOf(name)));
  return document.replace(BETWEEN, (_, head, _name, end) => `${head}${rows.shift()}${end}`);
}

async function rowsOf(name: string): Promise<string> {
  const rows = await TABLES[name]?.();
  if (rows === undefined) throw new Error(`There is no table "${name}"`);
  return rows
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}

const read = (path: string) => readFile(join(ROOT, path), "utf8");

/** The members of an interface, those of its groups too: name, default, and the first sentence of each comment. */
async function optionRows(file: string, name: string): Promise<Row[]> {
  const source = await read(file);
  const [, body = ""] =
    new RegExp(`\nexport interface ${name}\\b[^{]*\\{\n([\\s\\S]*?)\n\\}`).exec(source) ?? [];
  const rows: Row[] = [];
  let group: string | undefined;
  for (const [, indent, comment = "", member = "", type] of body.matchAll(MEMBER)) {
    if (indent === "  ") group = type === undefined ? undefined : member;
    else if (group === undefined) continue;
    const text = comment
      .replace(/\n\s*\*/g, " ")
      .replace(/\s+/g, " ")
      .trim();
    const [what = "", given = ""] = text.split(/ ?@default /);
    rows.push([`\`${indent === "  " ? member : `${group}.${member}`}\``, given.trim(), firstSentence(what)]);
  }
  if (rows.length === 0) throw new Error(`${file} has no ${name}`);
  return rows;
}

/** The last group is there for an object with members of its own. */
const MEMBER = /^( {2}| {8})\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n\1(\w+)\??:(\n {4}\| \{)?/gm;

function firstSentence(text: string): string {
  return /^.*?[.:](?= [A-Z-]|$)/.exec(text.trim())?.[0].replace(/:$/, ".") ?? text;
}

async function requestFieldRows(): Promise<Row[]> {
  const rows = await optionRows("core/service/request-fields.ts", "RequestFields");
  return rows.map(([name = "", given = "", what = ""], index) => {
    const { flag: option } = REQUEST_FIELDS[REQUEST_FIELD_NAMES[index] ?? "name"];
    return [name, given, what, option === undefined ? "" : flag(option.name, option.value)];
  });
}

function flag(name: string, value: string | undefined): string {
  return `\`--${name}${value === undefined ? "" : ` ${value}`}\``;
}

/** The options of the extension, in the words of their page. */
async function settingRows(): Promise<Row[]> {
  const messages = await messagesOf("en");
  const say = (key: string | undefined) =>
    key === undefined ? "" : (messages[key.replaceAll(".", "_")] ?? "");
  const rowsBy = (section: string): Row[] =>
    SETTING_NAMES.flatMap((name) => {
      const entry = SETTINGS[name] as Setting<unknown>;
      if (entry.section !== section) return [];
      const row = (label: string, first: string, ...hints: (string | undefined)[]) => {
        const all = hints.map(say).filter(Boolean);
        return [say(`options.${section}`), say(label), first, all.join(" ")];
      };
      if (entry.control === "request")
        return REQUEST_FIELD_NAMES.filter((field) => field !== "name").map((field) =>
          row(`options.${field}`, "", `options.${field}Hint`),
        );
      if (entry.control === "paths")
        return ["upload", "end", "asset"].map((path) =>
          row(`options.${path}Path`, "", `options.${path}PathHint`),
        );
      const chosen = entry.choices?.find(({ value }) => value === entry.first);
      return [row(entry.label ?? "", chosen ? say(chosen.label) : shown(entry.first), entry.hint)];
    });
  return SECTIONS.flatMap(rowsBy);
}

function shown(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "number") return `${value}`;
  return typeof value === "string" && value !== "" ? `\`${value}\`` : "";
}

async function errorRows(): Promise<Row[]> {
  const source = await read("core/error-codes.ts");
  return Object.keys(ERROR_CODES).map((code) => {
    const [, meaning] = new RegExp(`^ {2}/\\*\\* (.+) \\*/\n {2}"?${code}"?: \\{`, "m").exec(source) ?? [];
    if (meaning === undefined) throw new Error(`${code} has no comment`);
    const { class: name, retryable, kept, next } = errorFacts(code);
    const again = retryable === "sometimes" ? retryable : retryable ? "yes" : "no";
    return [`\`${code}\``, name, again, kept, `\`${next}\``, meaning];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of await readdir(join(ROOT, "docs"))) {
    if (!name.endsWith(".md")) continue;
    const path = join(ROOT, "docs", name);
    await writeFile(path, await withTables(await readFile(path, "utf8")));
  }
}
