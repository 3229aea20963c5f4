/** Small changes of a source file, each of which some test should notice, and the file with all of them compiled in. */
import { type ESTree, parseSync } from "vite";

export interface Mutant {
  file: string;
  line: number;
  /** The expression that is evaluated in the one way or the other. */
  start: number;
  end: number;
  before: string;
  after: string;
  /** The value of an attribute in quotes, which stands in braces once it is an expression. */
  inQuotes: boolean;
}

type Node = ESTree.Node;

const OPERATORS: Record<string, string> = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "&&": "||", "||": "&&" },
  ...{ "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", ">>": "<<", "<<": ">>", "&": "|", "|": "&" },
  ...{ "+=": "-=", "-=": "+=", "++": "--", "--": "++" },
};
/** Numbers from here on are times and sizes: one more or less is nobody's business. */
const LARGE = 1000;

export function mutantsOf(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: Node, parent: Node | undefined): void => {
    for (const [{ start, end }, after] of changesOf(node, parent, text)) {
      const before = text.slice(start, end);
      const line = text.slice(0, start).split("\n").length;
      const inQuotes = node.type === "Literal" && parent?.type === "JSXAttribute";
      mutants.push({ file, line, start, end, before, after, inQuotes });
    }
    for (const child of childrenOf(node)) visit(child, node);
  };
  visit(parseSync(file, text).program, undefined);
  return mutants;
}

/** The text with all of them in it: `is(place)` says in which way a place is evaluated. */
export function compileIn(text: string, mutants: Mutant[], is: (mutant: Mutant) => string): string {
  const left = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const write = (from: number, to: number): string => {
    let written = "";
    for (let next = left[0]; next !== undefined && next.end <= to; next = left[0]) {
      const { start, end, inQuotes } = next;
      let choices = "";
      for (; left[0]?.start === start && left[0].end === end; left.shift())
        choices += `${is(left[0])} ? (${left[0].after}) : `;
      const choice = `(${choices}(${write(start, end)}))`;
      written += text.slice(from, start) + (inQuotes ? `{${choice}}` : choice);
      from = end;
    }
    return written + text.slice(from, to);
  };
  return write(0, text.length);
}

/** All changes of an expression in a node, of which each alone makes a mutant. */
function changesOf(node: Node, parent: Node | undefined, text: string): [of: Node, after: string][] {
  const source = (of: Node) => text.slice(of.start, of.end);
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return [
        [node.test, "true"],
        [node.test, "false"],
      ];
    case "WhileStatement":
      return [[node.test, "false"]];
    case "ExpressionStatement":
      return isCall(node.expression) ? [[node.expression, "undefined"]] : [];
    case "ReturnStatement":
      return node.argument && source(node.argument) !== "undefined" ? [[node.argument, "undefined"]] : [];
    case "BinaryExpression":
    case "AssignmentExpression":
    case "LogicalExpression": {
      if (node.operator === "??") return [[node, source(node.left)]];
      const other = OPERATORS[node.operator];
      // Texts are joined, and not subtracted.
      if (other === undefined || [node.left, node.right].some(isText)) return [];
      const isAssigned = node.type === "AssignmentExpression";
      const operands = [node.left, node.right].map((of) => (isAssigned ? source(of) : `(${source(of)})`));
      return [[node, operands.join(` ${other} `)]];
    }
    case "UpdateExpression":
      return [[node, source(node).replace(node.operator, OPERATORS[node.operator] ?? "")]];
    case "UnaryExpression":
      return /^[!-]$/.test(node.operator) ? [[node, source(node.argument)]] : [];
    case "ArrayExpression":
      return node.elements.length > 0 ? [[node, "[]"]] : [];
    case "TemplateLiteral":
      return parent?.type === "TaggedTemplateExpression" || /\s/.test(source(node)) ? [] : [[node, '""']];
    case "Literal":
      return literal(node.value).map((after) => [node, after]);
    default:
      return [];
  }
}

function literal(value: unknown): string[] {
  if (typeof value === "boolean") return [String(!value)];
  if (typeof value === "number") return [String(value >= LARGE ? 0 : value + 1)];
  // A sentence may be worded as one likes.
  if (typeof value !== "string" || /\s\S|\S\s/.test(value)) return [];
  return [value === "" ? '"mutated"' : '""'];
}

function isText(node: Node): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

function isCall(node: Node): boolean {
  if (node.type === "AwaitExpression") return isCall(node.argument);
  return node.type === "CallExpression" || (node.type === "ChainExpression" && isCall(node.expression));
}

/** What runs: no types, no imports, no names of properties, no directives; and no classes, which only styles read. */
function childrenOf(node: Node): Node[] {
  if (node.type === "JSXAttribute" && node.name.name === "class") return [];
  if (/^Import|^ExportAll/.test(node.type) || ("source" in node && node.source) || "directive" in node)
    return [];
  return Object.entries(node)
    .filter(([key]) => !/^(typeAnnotation|returnType|typeArguments|typeParameters|implements)$/.test(key))
    .filter(([key]) => key !== "key" || ("computed" in node && node.computed))
    .flatMap(([, value]) => value as Node | Node[])
    .filter((child) => typeof child === "object" && child !== null && "start" in child)
    .filter(({ type }) => !/^TS(?!As|Satisfies|NonNull)/.test(type));
}
