/** The environment and the machine. A question that the runtime refuses to answer counts as one without an answer. */
import { Buffer } from "node:buffer";
import { readFileSync, readlinkSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import process from "node:process";
import { pathText } from "./system-path.ts";

/** A variable of the environment. */
export function variable(name: string): string | undefined {
  return answerTo(() => process.env[name]);
}

/** The words of the command line, with the bytes that are no UTF-8, which runtimes replace: only Linux tells them. */
export function commandWords(): string[] {
  const words = process.argv.slice(2);
  if (!words.some((word) => word.includes("\ufffd"))) return words;
  const bytes = answerTo(() => readFileSync("/proc/self/cmdline", "latin1")) ?? "";
  const given = bytes
    .split("\0")
    .slice(0, -1)
    .slice(-words.length)
    .map((word) => Buffer.from(word, "latin1"));
  const isSame = given.length === words.length && given.every((word, at) => word.toString() === words[at]);
  return isSame ? given.map(pathText) : words;
}

/** The person's own folder; a user without HOME and without an entry among the users has none. */
export function homeFolder(): string | undefined {
  // An empty HOME would be the current folder.
  return [homedir, () => userInfo().homedir].map(answerTo).find((home) => home && isAbsolute(home));
}

export function hostName(): string | undefined {
  return answerTo(hostname);
}

/** Within what a process number means one process: containers may share the name of their host, and not its numbers. */
export function processNamespace(): string | undefined {
  // Only Linux has process namespaces.
  return answerTo(() => readlinkSync("/proc/self/ns/pid"));
}

/** Deno throws for each variable and each fact of the machine that no flag allows, and has `null` for a home that isn't known. */
function answerTo(ask: () => string | null | undefined): string | undefined {
  try {
    return ask() ?? undefined;
  } catch {
    return undefined;
  }
}
