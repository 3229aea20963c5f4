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

/** An exported name, in each of its forms. */
export interface PublicName {
  name: string;
  declarations: { kind: string; jsDoc?: DocComment; def?: unknown }[];
}

/** An entry by its path in core, with its module comment. */
export interface Entry {
  path: string;
  moduleDoc: DocComment;
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
    return { path, moduleDoc: node.module_doc ?? {}, names: node.symbols };
  });
}
