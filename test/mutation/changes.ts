/** The changes of a piece of a source that make it do something else. */
import type { ESTree } from "vite";
import { brokenPatterns } from "./patterns.ts";

/** A text that stands in the place of another. */
export interface Change {
  start: number;
  end: number;
  replacement: string;
}

type Node = ESTree.Node;

const OPERATORS: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
  ">>": "<<",
  "<<": ">>",
  "&": "|",
  "|": "&",
  "+=": "-=",
  "-=": "+=",
  "++": "--",
  "--": "++",
};
const METHODS: Record<string, string> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
};
/** Methods whose result is of the same kind as what they are called on. */
const REMOVABLE = new Set([
  "trim",
  "slice",
  "filter",
  "sort",
  "toSorted",
  "replace",
  "replaceAll",
  "toWellFormed",
]);
/** Functions that answer with yes or no. */
const ASKING = /^(is|has|may|can|knows|some|every|test|includes|startsWith|endsWith)(?![a-z])/;
/** Numbers from here on are times and sizes: one more or less is nobody's business. */
const LARGE = 1000;

/** All changes of a node itself, of which each alone makes a mutant; none that nobody could notice by its very kind. */
export function changesOf(node: Node, parents: Node[], text: string): Change[] {
  switch (node.type) {
    case "BinaryExpression":
      return isJoin(node) ? [] : operator(node.left.end, node.right.start, text);
    case "AssignmentExpression":
      return operator(node.left.end, node.right.start, text);
    case "UpdateExpression":
      return node.prefix
        ? operator(node.start, node.argument.start, text)
        : operator(node.argument.end, node.end, text);
    case "LogicalExpression":
      return logical(node, text);
    case "UnaryExpression":
      return /^[!-]$/.test(node.operator)
        ? [{ start: node.start, end: node.argument.start, replacement: "" }]
        : [];
    case "IfStatement":
    case "ConditionalExpression":
      return [replace(node.test, "true"), replace(node.test, "false")];
    case "WhileStatement":
      return [replace(node.test, "false")];
    case "ForStatement":
      return node.test ? [replace(node.test, "false")] : [];
    case "Literal":
      return literal(node, parents);
    case "TemplateLiteral":
      return node.quasis.some(({ value }) => /\s/.test(value.raw)) ? [] : [replace(node, "``")];
    case "ExpressionStatement":
      return isCall(node.expression) ? [replace(node, ";")] : [];
    case "ReturnStatement":
      return node.argument ? result(node.argument, text) : [];
    case "ArrowFunctionExpression":
      return node.body.type === "BlockStatement" || isCall(node.body) ? [] : result(node.body, text);
    case "CallExpression":
      return [...optional(node, node.callee.end, text), ...method(node)];
    case "MemberExpression":
      return optional(node, node.object.end, text);
    default:
      return [];
  }
}

function replace({ start, end }: Node, replacement: string): Change {
  return { start, end, replacement };
}

/** Whether it joins texts. */
function isJoin({ left, right, operator }: { left: Node; right: Node; operator: string }): boolean {
  const isText = ({ type, ...node }: Node) =>
    type === "TemplateLiteral" || (type === "Literal" && "value" in node && typeof node.value === "string");
  return operator === "+" && (isText(left) || isText(right));
}

function operator(from: number, to: number, text: string): Change[] {
  const found = /[<>=!+\-*/%&|]+/.exec(text.slice(from, to));
  const replacement = OPERATORS[found?.[0] ?? ""];
  if (found === null || replacement === undefined) return [];
  const start = from + found.index;
  return [{ start, end: start + found[0].length, replacement }];
}

function logical(node: ESTree.LogicalExpression, text: string): Change[] {
  const [left, right] = [node.left, node.right].map(({ start, end }) => `(${text.slice(start, end)})`);
  // "a || b" is the same as "a ?? b" for all but false, 0 and "".
  const other = node.operator === "&&" ? "||" : "&&";
  return [replace(node, `(${left} ${other} ${right})`)];
}

/** What a function gives: the opposite where it is a yes or no, which "undefined" would often stand for as well. */
function result(node: Node, text: string): Change[] {
  if (isUndefined(node) || (node.type === "Literal" && typeof node.value === "boolean")) return [];
  return [replace(node, isBoolean(node) ? `!(${text.slice(node.start, node.end)})` : "undefined")];
}

function isBoolean(node: Node): boolean {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "boolean";
    case "UnaryExpression":
      return node.operator === "!";
    case "BinaryExpression":
      return /[<=>]$|^in/.test(node.operator) && !/^(<<|>>|>>>)$/.test(node.operator);
    case "LogicalExpression":
      return isBoolean(node.left) && isBoolean(node.right);
    case "ParenthesizedExpression":
      return isBoolean(node.expression);
    case "AwaitExpression":
      return isBoolean(node.argument);
    case "CallExpression":
      return ASKING.test(nameOf(node.callee));
    default:
      return false;
  }
}

/** The name of a function that is called, be it a method. */
function nameOf(callee: Node): string {
  if (callee.type === "Identifier" || callee.type === "PrivateIdentifier") return callee.name;
  return callee.type === "MemberExpression" ? nameOf(callee.property) : "";
}

function literal(node: Extract<Node, { type: "Literal" }>, parents: Node[]): Change[] {
  if ("regex" in node) {
    const { pattern, flags } = node.regex;
    return brokenPatterns(pattern, flags).map((pattern) => replace(node, pattern));
  }
  const { value } = node;
  if (typeof value === "boolean") return [replace(node, String(!value))];
  if (typeof value === "number") return number(node, value, parents);
  // A sentence may be worded as one likes.
  if (typeof value !== "string" || /\s\S|\S\s/.test(value)) return [];
  if (value === "") return isAsked(parents) ? [] : [replace(node, '"mutated"')];
  return [replace(node, '""')];
}

function number(node: Node, value: number, parents: Node[]): Change[] {
  if (value >= LARGE) return [replace(node, "0")];
  const [parent, grandparent] = parents.toReversed();
  // In an order only the sign counts; taking it off is a mutant of its own.
  if (value === 1 && parent?.type === "ConditionalExpression" && parent.test !== node)
    return [replace(node, "-1")];
  if (isMinus(parent) && grandparent?.type === "ConditionalExpression") return [];
  if (parent?.type === "BinaryExpression" && parent.operator === "*" && isSize(parent)) return [];
  return [replace(node, String(value + 1))];
}

function isMinus(node: Node | undefined): boolean {
  return node?.type === "UnaryExpression" && node.operator === "-";
}

/** Whether it is written out as a product, such as 64 * 1024: the large number in it is changed. */
function isSize(node: Node): boolean {
  if (node.type === "BinaryExpression" && node.operator === "*")
    return isSize(node.left) || isSize(node.right);
  return node.type === "Literal" && typeof node.value === "number" && node.value >= LARGE;
}

/** Whether a text that stands for none, as in `text ?? ""`, is only compared with others, which "mutated" isn't either. */
function isAsked(parents: Node[]): boolean {
  const [parent, grandparent] = parents.toReversed();
  if (parent?.type !== "LogicalExpression" || parent.operator !== "??") return false;
  return grandparent?.type === "CallExpression" && /^(test|exec|has|parse)$/.test(nameOf(grandparent.callee));
}

function isCall(node: Node): boolean {
  if (node.type === "AwaitExpression") return isCall(node.argument);
  if (node.type === "ChainExpression") return isCall(node.expression);
  return node.type === "CallExpression";
}

function isUndefined(node: Node): boolean {
  return node.type === "Identifier" && node.name === "undefined";
}

function optional(node: { optional: boolean }, from: number, text: string): Change[] {
  if (!node.optional) return [];
  const start = text.indexOf("?.", from);
  return [{ start, end: start + 2, replacement: /[[(]/.test(text.charAt(start + 2)) ? "" : "." }];
}

function method({ callee, end }: ESTree.CallExpression): Change[] {
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return [];
  const { name } = callee.property;
  if (REMOVABLE.has(name)) return [{ start: callee.object.end, end, replacement: "" }];
  const other = METHODS[name];
  return other === undefined ? [] : [replace(callee.property, other)];
}
