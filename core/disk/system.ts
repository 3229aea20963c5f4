/** The environment and the machine. A question that the runtime refuses to answer counts as one without an answer. */
import { readlinkSync } from "node:fs";
import { homedir, hostname } from "node:os";
import process from "node:process";

/** A variable of the environment. */
export function variable(name: string): string | undefined {
  return answerTo(() => process.env[name]);
}

/** The person's own folder, which also a user without HOME and without an entry among the users doesn't have. */
export function homeFolder(): string | undefined {
  return answerTo(homedir);
}

export function hostName(): string | undefined {
  return answerTo(hostname);
}

/** Within what a process number means one process: containers may share the name of their host, and not its numbers. */
export function processNamespace(): string | undefined {
  // Only Linux has process namespaces.
  return answerTo(() => readlinkSync("/proc/self/ns/pid"));
}

/** Deno throws for each variable and each fact of the machine that no flag allows. */
function answerTo(ask: () => string | undefined): string | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
