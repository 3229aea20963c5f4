/** The environment and the machine. A question that the runtime refuses to answer counts as one without an answer. */
import { readlinkSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import process from "node:process";

/** A variable of the environment. */
export function variable(name: string): string | undefined {
  return answerTo(() => process.env[name]);
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
