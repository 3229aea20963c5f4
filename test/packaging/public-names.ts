/** What the entries of core export, as `deno doc` reads it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { ROOT, succeed } from "./run.ts";

const CORE = join(ROOT, "core");

/** A part of a doc comment. */
export interface DocTag {
  kind: string;
  name?: string;
  doc?: string;
}

interface DocComment {
  doc?: string;
  tags?: DocTag[];
}

interface Signature {
  params?: { name?: string; left?: { name?: string } }[];
  returnType?: unknown;
}

interface Method extends Signature {
  name: string;
  jsDoc?: DocComment;
  accessibility?: string;
  /** Of a class. */
  functionDef?: Signature;
}

interface Declaration {
  kind: string;
  jsDoc?: DocComment;
  def?: Signature & { methods?: Method[] };
}

/** An exported name, in each of its forms. */
export interface PublicName {
  name: string;
  declarations: Declaration[];
}

/** Something that can be called: a function, or a method. */
export interface Call {
  name: string;
  isFunction: boolean;
  tags: DocTag[];
  /** Names of its parameters, without those that it takes apart at once. */
  params: string[];
  givesNothing: boolean;
}

/** What of a name can be called. */
export function callsOf({ name, declarations }: PublicName): Call[] {
  return declarations.flatMap(({ kind, jsDoc, def = {} }) => {
    if (kind === "function") return [callOf(name, jsDoc, def, true)];
    return (def.methods ?? []).map((method) =>
      callOf(`${name}.${method.name}`, method.jsDoc, method.functionDef ?? method, false),
    );
  });
}

function callOf(name: string, jsDoc: DocComment = {}, signature: Signature, isFunction: boolean): Call {
  const params = (signature.params ?? []).flatMap((param) => param.name ?? param.left?.name ?? []);
  const type = JSON.stringify(signature.returnType ?? "void");
  const givesNothing = type.includes('"void"') && !type.includes('"fnOrConstructor"');
  return { name, isFunction, tags: jsDoc.tags ?? [], params, givesNothing };
}

/** An entry by its path in core, with its module comment. */
export interface Entry {
  path: string;
  /** Those of its module comment. */
  tags: DocTag[];
  names: PublicName[];
}

/** Reads all entries that `core/deno.json` names. */
export async function readEntries(): Promise<Entry[]> {
  const { exports } = JSON.parse(await readFile(join(CORE, "deno.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const paths = Object.values(exports);
  const { nodes } = JSON.parse(await succeed(findRuntime("deno"), ["doc", "--json", ...paths], CORE)) as {
    nodes: Record<string, { module_doc?: DocComment; symbols: PublicName[] }>;
  };
  return paths.map((path) => {
    const node = nodes[pathToFileURL(join(CORE, path)).href];
    if (node === undefined) throw new Error(`deno doc says nothing of ${path}`);
    return { path, tags: node.module_doc?.tags ?? [], names: node.symbols };
  });
}
