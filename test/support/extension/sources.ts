/** The sources of the extension, searched for keys of the message catalogue and for texts that are not in it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";

export interface Source {
  path: string;
  text: string;
}

export interface Texts {
  /** Every string as it stands, among them the keys. */
  strings: string[];
  /** What a person would see in one language alone. */
  hardCoded: string[];
}

const ROOT = fileURLToPath(new URL("../../../entrypoints/", import.meta.url));

export async function readSources(): Promise<Source[]> {
  const entries = await readdir(ROOT, { recursive: true });
  const paths = entries.filter((path) => /\.(tsx?|html)$/.test(path)).sort();
  return await Promise.all(
    paths.map(async (path) => ({
      path: path.replaceAll("\\", "/"),
      text: await readFile(join(ROOT, path), "utf8"),
    })),
  );
}

export function textsOf({ path, text }: Source): Texts {
  return path.endsWith(".html") ? textsOfPage(text) : textsOfModule(text, path.endsWith("x") ? "tsx" : "ts");
}

/** Two words with a space between them, a word that begins like a sentence, or a word beside a value. */
const SENTENCE = /\p{L}{2,}[,:.]? \p{L}+|^\p{Lu}\p{Ll}+(…|\.|:)?( \{\}|$)|\{\} \p{L}{2,}/u;

/** Components show whatever a person reads: a page by itself has the name of the extension, and nothing else. */
function textsOfPage(page: string): Texts {
  const [, title = page, body = page] =
    /<title>(.*)<\/title>[\s\S]*<body>\s*([\s\S]*?)\s*<\/body>/.exec(page) ?? [];
  return { strings: [], hardCoded: [title, body].filter((each) => each !== "" && each !== "Upcut") };
}

interface Node {
  type: string;
  [property: string]: unknown;
}

function textsOfModule(code: string, lang: "ts" | "tsx"): Texts {
  const texts: Texts = { strings: [], hardCoded: [] };
  visit(parseAst(code, { lang }) as unknown as Node, texts);
  return texts;
}

function visit(node: Node, texts: Texts): void {
  if (isForPrograms(node)) return;
  if (node.type === "Literal" && typeof node.value === "string") note(node.value, texts);
  // A text between the tags of a component.
  if (node.type === "JSXText" && /\p{L}/u.test(String(node.value)))
    texts.hardCoded.push(String(node.value).trim());
  if (node.type === "TemplateLiteral") note(quasisOf(node).join("{}"), texts);
  for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, texts);
}

function note(text: string, texts: Texts): void {
  texts.strings.push(text);
  if (SENTENCE.test(text)) texts.hardCoded.push(text);
}

function quasisOf({ quasis }: Node): string[] {
  return (quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
}

/** Types, addresses of modules, selectors, errors and notes for the console: no person reads them in a page. */
function isForPrograms(node: Node): boolean {
  if (/^(TS(Type|Interface|Literal)|Import|ExportAll)/.test(node.type)) return true;
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return false;
  const callee = node.callee as Node;
  const { name = (callee.property as Node | undefined)?.name } = callee;
  const object = (callee.object as Node | undefined)?.name;
  return /Error$|^(querySelector(All)?|matches|closest)$/.test(String(name)) || object === "console";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
