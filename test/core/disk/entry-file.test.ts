/** What a power cut leaves of a journal: Node tells in which order it asked the system for what. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { inNode } from "../../support/in-all.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("durable");
const script = fileURLToPath(new URL("../../support/programs/write-entry.ts", import.meta.url));

inNode(
  "an entry is written down before it gets its name, and its name before anything relies on it",
  async () => {
    const [journal, trace] = [join(folder.path, "journal"), join(folder.path, "trace.json")];
    const tracing = ["--trace-event-categories", "node.fs.async", "--trace-event-file-pattern", trace];
    await promisify(execFile)("node", [...tracing, "--import", "tsx", script, journal]);
    const { traceEvents } = JSON.parse(await readFile(trace, "utf8"));
    const calls = (traceEvents as { name: string; ph: string; ts: number; args: { path?: string } }[])
      .filter(({ name, ph, args }) => ph === "b" && (/^(fsync|rename)$/.test(name) || args.path === journal))
      .sort((a, b) => a.ts - b.ts);
    expect(calls.map(({ name }) => name).slice(-4)).toEqual(["fsync", "rename", "open", "fsync"]);
  },
);
