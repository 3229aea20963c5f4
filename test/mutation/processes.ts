/** Processes that run tests, and are ended when they take too long. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Command, Reply } from "./session.ts";

/** Runs commands one after the other in a process of its own. */
export interface TestProcess {
  /** The reply, or "timed out" and the process is replaced. */
  run(command: Command, milliseconds: number): Promise<Reply | "timed out">;
  end(): void;
}

export function startTestProcess(): TestProcess {
  let child: ChildProcess | undefined;
  const end = () => {
    // A group of its own: the services that tests start end as well.
    if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    child = undefined;
  };
  return {
    run: (command, milliseconds) =>
      new Promise((resolve) => {
        child ??= fork(fileURLToPath(new URL("session.ts", import.meta.url)), {
          execArgv: ["--import", "tsx"],
          detached: true,
          // What tests print matters to nobody here.
          stdio: ["ignore", "ignore", "ignore", "ipc"],
        });
        const current = child;
        const settle = (reply: Reply | "timed out") => {
          clearTimeout(timer);
          current.off("message", settle);
          current.off("exit", ended);
          resolve(reply);
        };
        const ended = () => {
          child = undefined;
          settle({ error: "the process ended" });
        };
        const timer = setTimeout(() => {
          end();
          settle("timed out");
        }, milliseconds);
        current.on("message", settle);
        current.on("exit", ended);
        current.send(command);
      }),
    end,
  };
}
