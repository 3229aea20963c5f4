/** Small changes of a source file, each of which some test should notice. */
import { type ESTree, parseSync } from "vite";
import { type Change, changesOf } from "./changes.ts";

export interface Mutant extends Change {
  /** The source file, from the root of the project. */
  file: string;
  line: number;
  /** The functions it stands in, by where they begin, from the outside in. */
  functions: number[];
  /** The names of those that have one. */
  names: string[];
  /** The lines it stands in, without line breaks, as they are and as they become. */
  before: string;
  after: string;
}

type Node = ESTree.Node;
type AnyFunction = ESTree.Function | ESTree.ArrowFunctionExpression;

/** All mutants of a file, in the order of the text. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const { program } = parseSync(file, text);
  const mutants: Mutant[] = [];
  walk(program, [], (node, parents) => {
    for (const change of changesOf(node, parents, text))
      mutants.push(describe(file, text, change, parents.filter(isFunction)));
  });
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The text with functions that tell `calledFunction()` the file and where they begin when they are called. */
export function withReports(file: string, text: string): string {
  const changes: Change[] = [];
  walk(parseSync(file, text).program, [], (node) => {
    if (!isFunction(node) || !node.body) return;
    const { start, end, type } = node.body;
    const call = `globalThis.calledFunction?.(${JSON.stringify(file)}, ${node.start})`;
    if (type === "BlockStatement")
      changes.push({ start: start + 1, end: start + 1, replacement: `${call};` });
    else if (text.charAt(start - 1) === "(") changes.push({ start, end: start, replacement: `${call}, ` });
    else
      changes.push({ start, end: start, replacement: `(${call}, ` }, { start: end, end, replacement: ")" });
  });
  // From the end, so that what stands before keeps its place; what ends at one place is closed from the inside out.
  return changes.sort((a, b) => b.start - a.start).reduce(apply, text);
}

/** A text after a change. */
export function apply(text: string, { start, end, replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function describe(file: string, text: string, change: Change, inside: AnyFunction[]): Mutant {
  const from = text.lastIndexOf("\n", change.start - 1) + 1;
  const end = text.indexOf("\n", change.end);
  const lines = text.slice(from, end < 0 ? undefined : end);
  const within = { ...change, start: change.start - from, end: change.end - from };
  const line = text.slice(0, change.start).split("\n").length;
  const functions = inside.map(({ start }) => start);
  const names = inside.flatMap(({ id }) => id?.name ?? []);
  const [before, after] = [oneLine(lines), oneLine(apply(lines, within))];
  return { file, line, functions, names, ...change, before, after };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Visits the nodes of what runs, each with those it stands in, from the outside in. */
function walk(node: Node, parents: Node[], visit: (node: Node, parents: Node[]) => void): void {
  visit(node, parents);
  for (const child of childrenOf(node)) walk(child, [...parents, node], visit);
}

function isFunction(node: Node): node is AnyFunction {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

/** What runs: no types, no imports, no names of properties. */
function childrenOf(node: Node): Node[] {
  if (/^(Import|ExportAll)/.test(node.type)) return [];
  if (node.type === "ExportNamedDeclaration" && node.source !== null) return [];
  if (node.type.startsWith("TS") && !/^TS(As|Satisfies|NonNull)/.test(node.type)) return [];
  const children: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (/^(type|.*Type|typeAnnotation|typeArguments|typeParameters|implements)$/.test(key)) continue;
    if (key === "key" && "computed" in node && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) children.push(child);
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
