/**
 * The tables of documents that say what a table of the sources says: options, fields, settings and error codes. So do those
 * of what the bench and other tests have found, with their charts.
 *
 * `npm run tables` writes them anew; documents.test.ts compares them.
 */
import { readdirSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { OPTION_LIST, type Options } from "../../core/cli/options.ts";
import { ERROR_CODES, type ErrorCode, errorFacts, isErrorCode } from "../../core/errors/error-codes.ts";
import { REQUEST_FIELD_NAMES, REQUEST_FIELDS } from "../../core/service/request-fields.ts";
import { BUTTON_KEYS } from "../../entrypoints/popup/message-catalogue.ts";
import { stepsFor } from "../../entrypoints/popup/steps.ts";
import { SECTIONS, SETTING_NAMES, SETTINGS, type Setting } from "../../entrypoints/shared/settings.ts";
import type { PlainKey } from "../../entrypoints/shared/translate.ts";
import { CHARTS, drawChart, rowsOfChart, textOfChart } from "../bench/charts.ts";
import { medianOf, readResults } from "../bench/results.ts";
import { messagesOf } from "../support/extension/catalogue.ts";
import { failure, fromPage, makeJob } from "../support/extension/pages/jobs.ts";
import type { Finding } from "../works-with/findings.ts";
import { ROOT } from "./run.ts";
import { DOCUMENTS } from "./written.ts";

type Row = string[];

/** The tables of `docs/works-with.md`, as the tests that try real programs keep them. */
const FOUND = readdirSync(join(ROOT, "test/works-with/found"));

/** The tables, by the names that documents have for them. */
const TABLES: Record<string, () => Promise<Row[]>> = {
  "same settings": sameSettingRows,
  client: () => optionRows("core/client.ts", "ClientOptions"),
  upload: () => optionRows("core/upload/options.ts", "UploadOptions"),
  "request fields": () => optionRows("core/service/request-fields.ts", "RequestFields"),
  "many uploads": () => optionRows("core/many/options.ts", "UploadAllOptions"),
  journals: () => optionRows("core/journal/terms.ts", "JournalOptions"),
  sources: sourceRows,
  addresses: () => optionRows("core/source/open-url.ts", "UrlOptions"),
  pieces: () => optionRows("core/hls/options.ts", "HlsOptions"),
  "command line": async () => OPTION_LIST.map(({ name, facts }) => [flag(name, facts.value), facts.help]),
  extension: settingRows,
  "next steps": nextStepRows,
  waits: waitRows,
  "input errors": () => errorRows("InputError"),
  "service errors": () => errorRows("ServiceError"),
  "connection errors": () => errorRows("ConnectionError"),
  "upload errors": () => errorRows("UploadError"),
  state: stateRows,
  figures: figureRows,
  "missed targets": missedRows,
  "measured on": measuredRows,
  petabyte: petabyteRows,
  ...Object.fromEntries(Object.keys(CHARTS).map((name) => [nameOfTable(name), () => chartRows(name)])),
  ...Object.fromEntries(FOUND.map((file) => [nameOfTable(parse(file).name), () => foundRows(file)])),
};

function nameOfTable(file: string): string {
  return file.replaceAll("-", " ");
}

export const TABLE_NAMES: readonly string[] = Object.keys(TABLES);

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

async function findingsOf(file: string): Promise<Finding[]> {
  return JSON.parse(await read(`test/works-with/found/${file}`)) as Finding[];
}

async function foundRows(file: string): Promise<Row[]> {
  return (await findingsOf(file)).map(({ name, tried, verdict, because = "" }) => [
    name,
    `${tried}`,
    verdict,
    because,
  ]);
}

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
const MEMBER = /^( {2}| {8})\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n\1(\w+)\??:((?:\n {4}\| \w+)*\n {4}\| \{)?/gm;

/** Each kind of sources, by the comment above it. */
async function sourceRows(): Promise<Row[]> {
  const source = await read("core/source/open.ts");
  return [...source.matchAll(/\/\*\* (.*) \*\/\n {2}kind\(/g)].map(([, what = ""]) => [what]);
}

/** Each reason for waiting, and the comment above it. */
async function waitRows(): Promise<Row[]> {
  const [, list = ""] =
    /WAITING_REASONS = \[([\s\S]*?)\]/.exec(await read("core/progress/progress.ts")) ?? [];
  return [...list.matchAll(/\/\*\* (.*) \*\/\n\s*"(.*)"/g)].map(([, why = "", reason]) => [
    `\`${reason}\``,
    why,
  ]);
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= [A-Z-]|$)/.exec(text.trim())?.[0].replace(/:$/, ".") ?? text;
}

/**
 * Settings by their names in the module, on the command line (an option or a variable of the environment), and on a page
 * of the extension. Those of the request's fields follow from the table of these.
 */
const SAME_SETTINGS: readonly [module: string, commandLine: readonly CommandLineName[], label?: PlainKey][] =
  [
    ["fields", [], "form.further"],
    ["method", ["method"], "options.method"],
    ["concurrency", ["atATime"], "options.uploadsAtATime"],
    ["bandwidth", ["bandwidth"]],
    ["journal", ["journal", "UPCUT_JOURNAL"]],
    ["resume: false", ["new"], "button.uploadAgain"],
    ["verify", ["verify"]],
    ["quality", ["quality"], "found.quality"],
    ["language", ["language"], "found.sound"],
    ["baseUrl", ["url", "UPCUT_URL"], "options.address"],
    ["token", ["tokenFile", "UPCUT_TOKEN"], "options.token"],
    ["paths.requestUpload", [], "options.uploadPath"],
    ["paths.terminate", ["UPCUT_TERMINATE_PATH"], "options.endPath"],
    ["paths.asset", ["UPCUT_ASSET_PATH"], "options.assetPath"],
    ["uploadAuthorization", [], "options.uploadToken"],
  ];

type CommandLineName = keyof Options | `UPCUT_${string}`;

async function sameSettingRows(): Promise<Row[]> {
  const messages = await messagesOf("en");
  const paths = (await readdir(join(ROOT, "core/cli"))).map((name) => `core/cli/${name}`);
  const commandLine = (await Promise.all(paths.map(read))).join();
  const all = await Promise.all(
    ["client", "upload", "request fields", "many uploads", "pieces"].map((table) => TABLES[table]?.()),
  );
  const known = new Set(all.flatMap((rows = []) => rows.map(([name]) => name)));
  const nameOf = (name: CommandLineName) => {
    const option = OPTION_LIST.find(({ key }) => key === name);
    if (option === undefined && !commandLine.includes(name))
      throw new Error(`The command line has no ${name}`);
    return option === undefined ? `\`${name}\`` : flag(option.name, undefined);
  };
  const fields = REQUEST_FIELD_NAMES.map((name): (typeof SAME_SETTINGS)[number] => [
    name,
    REQUEST_FIELDS[name].flag ? [name] : [],
    name === "name" ? "draft.name" : `options.${name}`,
  ]);
  return [...fields, ...SAME_SETTINGS].map(([name, own, label]) => {
    if (!known.has(`\`${name.replace(/:.*/, "")}\``)) throw new Error(`The module has no option ${name}`);
    const words = label && messages[label.replaceAll(".", "_")];
    if (label !== undefined && words === undefined) throw new Error(`No screen says ${label}`);
    return [`\`${name}\``, own.map(nameOf).join(", "), words === undefined ? "" : `*${words}*`];
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

async function errorRows(name: string): Promise<Row[]> {
  const source = await read("core/errors/error-codes.ts");
  const codes = Object.keys(ERROR_CODES).filter((code) => errorFacts(code).class === name);
  return codes.map((code) => {
    const [, meaning] = new RegExp(`^ {2}/\\*\\* (.+) \\*/\n {2}"?${code}"?: \\{`, "m").exec(source) ?? [];
    if (meaning === undefined) throw new Error(`${code} has no comment`);
    const { retryable, kept, next } = errorFacts(code);
    const again = retryable === "sometimes" ? retryable : retryable ? "yes" : "no";
    return [`\`${code}\``, meaning, again, kept, `\`${next}\``];
  });
}

/** The next steps, with the buttons that stand first on a failed row of the extension. */
async function nextStepRows(): Promise<Row[]> {
  const [source, messages] = await Promise.all([read("core/errors/error-codes.ts"), messagesOf("en")]);
  const steps = [...source.matchAll(/^ \* - (`[a-z`, -]+`): (.+)$/gm)].flatMap(([, names = "", helps = ""]) =>
    [...names.matchAll(/`([a-z-]+)`/g)].map(([, step = ""]) => ({ step, helps })),
  );
  const codes = Object.keys(ERROR_CODES).filter(isErrorCode);
  return steps.flatMap(({ step, helps }) => {
    const own = codes.filter((code) => errorFacts(code).next === step);
    // The list of what an error leaves behind looks the same.
    if (own.length === 0) return [];
    const buttons = new Set(own.flatMap(firstButtons));
    const labels = [...buttons].map((button) => `*${messages[BUTTON_KEYS[button].replaceAll(".", "_")]}*`);
    return [[`\`${step}\``, helps, labels.join(", ")]];
  });
}

/** The first button after an error with a code: of a file, and of a video that a page has handed over. */
function firstButtons(code: ErrorCode) {
  const { kept } = errorFacts(code);
  const error = failure(
    code,
    kept === "upload" ? { resume: { assetId: "a", offset: 1, possible: true } } : {},
  );
  const state = code === "asset-unknown" ? code : "failed";
  const sources = [{}, { source: { ...fromPage, kind: "page-blob" as const } }];
  return sources.flatMap((source) => stepsFor(makeJob(state, { error, ...source })).buttons.slice(0, 1));
}

/** What the README's first screen says of the version, and of what it was run on. */
async function stateRows(): Promise<Row[]> {
  const { version } = JSON.parse(await read("package.json")) as { version: string };
  const [runtimes, stores, proxies, bundlers] = await Promise.all(
    ["runtimes", "stores", "proxies", "bundlers"].map((name) => findingsOf(`${name}.json`)),
  );
  const ranIn = runtimes?.map(({ name }) => name).join(", ");
  const tried = `${stores?.length} tus servers with their stores, ${proxies?.length} set-ups of proxies, ${bundlers?.length} bundlers`;
  return [
    ["Version", `${version}, which isn't published: build it from a clone`],
    ["Runs in", `${ranIn}. All on Linux`],
    ["Tried with", `${tried}: [what works with what](docs/works-with.md)`],
  ];
}

/** The figures that matter to most readers of the README. */
async function figureRows(): Promise<Row[]> {
  const { figure, machineOf } = await readResults();
  const median = (...cell: Parameters<typeof figure>) => medianOf(figure(...cell));
  const runtimes = (tell: (runtime: string) => string) =>
    ["Node", "Bun", "Deno"].map((runtime) => `${runtime} ${tell(runtime)}`).join(", ");
  const curl = (who: string) => runtimes((each) => median("Throughput", "× curl -T", `${who} in ${each}`));
  const page = (who: string) => median("Chromium", "discard sink", who, "× a plain XHR PUT");
  const secure = (who: string) =>
    median("Chromium to a host that encrypts", "HTTP/2, 100 MiB over a long line", who, "× a plain XHR PUT");
  const small = (row: string) => median("Small files", "over a long line", row, "× the bare loop");
  const on = (section: string) => {
    const [, cores, date] = /^(\d+ cores).*; (\d{4}-\d\d-\d\d)/.exec(machineOf(section)) ?? [];
    return `${date}, ${cores}`;
  };
  return [
    [
      "1 GiB to a host that discards it, time × `curl -T`",
      curl("Upcut"),
      `tus-js-client: ${curl("tus-js-client")}`,
      on("Throughput"),
    ],
    [
      "The same from Chromium over HTTP/1.1, time × one plain `PUT`",
      page("Upcut"),
      `tus-js-client ${page("tus-js-client")}, Uppy ${page("Uppy")}, UpChunk ${page("UpChunk")}`,
      on("Chromium"),
    ],
    [
      "100 MiB from Chromium over HTTP/2, 80 ms and 200 Mbit/s, time × one plain `PUT`",
      secure("Upcut's module"),
      `tus-js-client ${secure("tus-js-client")}, Uppy ${secure("Uppy")}`,
      on("Chromium to a host that encrypts"),
    ],
    [
      "Most memory of a process, with a file of 16 GiB",
      `${runtimes((each) => median("Peak memory", each, "a file of 16 GiB, sparse"))} MiB`,
      `curl with 1 GiB: ${median("Throughput", "× curl -T", "curl -T", "peak MiB")} MiB`,
      on("Peak memory"),
    ],
    [
      "100 files of 100 KiB over such a line, time × a bare loop",
      `\`uploadAll()\` ${small("uploadAll in Node")}, command line ${small("the command line")}, extension ${small("the extension")}`,
      "",
      on("Small files"),
    ],
  ];
}

async function missedRows(): Promise<Row[]> {
  const { targets } = await readResults();
  return targets.filter((row) => row[3] === "**missed**").map((row) => row.slice(0, 3));
}

async function measuredRows(): Promise<Row[]> {
  const { sections, machineOf } = await readResults();
  return sections.map((section) => [section, machineOf(section)]);
}

/** What a petabyte takes of processors and memory, by the bench. */
async function petabyteRows(): Promise<Row[]> {
  const { figure } = await readResults();
  const perGiB = medianOf(figure("Throughput", "× curl -T", "Upcut in Node", "CPU-s per GiB"));
  const seconds = ((2 * 1e15) / 2 ** 30) * Number(perGiB);
  const lineSeconds = (8 * 1e15) / (0.9 * 10e9);
  const memory = (runtime: string) =>
    medianOf(figure("Peak memory", runtime, "a video at an address, 1 GiB"));
  return [
    [
      "Processors",
      `${(seconds / 1e6).toFixed(1)} million core seconds: ${Math.ceil(seconds / lineSeconds)} cores for as long as 10 Gbit/s take; twice or thrice that with TLS`,
      `${perGiB} s for each GiB sent from a file in Node, taken twice for reading it from an address. Not measured at this size`,
    ],
    [
      "Memory",
      `${memory("Node")} MiB for one upload from an address in Node, ${memory("Bun")} in Bun`,
      "the bench",
    ],
  ];
}

async function chartRows(name: string): Promise<Row[]> {
  const chart = CHARTS[name];
  return chart === undefined ? [] : rowsOfChart(chart, await readResults());
}

/** The charts whose picture says something else than the results, by the paths of their pictures. */
export async function staleCharts(): Promise<string[]> {
  const results = await readResults();
  const stale: string[] = [];
  for (const [name, chart] of Object.entries(CHARTS)) {
    const path = `docs/figures/${name}.svg`;
    const picture = await read(path).catch(() => "");
    if (!picture.includes(textOfChart(chart, results))) stale.push(path);
  }
  return stale;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of DOCUMENTS) {
    const path = join(ROOT, name);
    await writeFile(path, await withTables(await readFile(path, "utf8")));
  }
  for (const path of await staleCharts()) {
    const chart = CHARTS[parse(path).name];
    if (chart !== undefined) await writeFile(join(ROOT, path), await drawChart(chart, await readResults()));
  }
}
