/** A line for each request, without addresses that may be secret. */
import type { RequestHooks, ResponseReport } from "../http/observe.ts";
import { bytes } from "./format.ts";
import type { Screen } from "./screen.ts";

type Say = Screen["say"];

/** Hooks that tell each request on a screen, once there is one. */
export interface Verbose extends RequestHooks {
  say: Say;
}

export function verboseHooks(): Verbose {
  const hooks: Verbose = {
    say() {},
    onResponse: ({
      request: { kind, method, origin, bytes: size },
      status,
      duration,
      sent,
    }: ResponseReport) => {
      const facts = {
        kind,
        method,
        origin,
        bytes: size,
        status,
        milliseconds: Math.round(duration),
        sent,
      };
      const body = size > 0 ? `, ${bytes(sent)} of ${bytes(size)}` : "";
      const words = `${method} ${origin} (${kind}): ${status ?? "no answer"} in ${facts.milliseconds} ms${body}`;
      hooks.say("request", words, facts);
    },
  };
  return hooks;
}
