import { expect, test } from "vitest";
import { verboseHooks } from "../../../core/cli/verbose.ts";

const request = { kind: "content", method: "PATCH", origin: "https://store.example", bytes: 2000 } as const;

test.each([
  [{ status: 204, sent: 2000 }, "PATCH https://store.example (content): 204 in 12 ms, 2.0 kB of 2.0 kB"],
  [
    { status: undefined, sent: 100 },
    "PATCH https://store.example (content): no answer in 12 ms, 100 B of 2.0 kB",
  ],
])("verboseHooks() says a request with %j in one line", (answer, line) => {
  const hooks = verboseHooks();
  const said: unknown[][] = [];
  hooks.onResponse?.({ request, duration: 12.4, ...answer });
  hooks.say = (...all) => said.push(all);
  hooks.onResponse?.({ request, duration: 12.4, ...answer });
  expect(said).toEqual([["request", line, { ...request, milliseconds: 12, ...answer }]]);
});

test.each([0, 1])("says how much of a body of %i bytes was sent, if it has one", (bytes) => {
  const hooks = verboseHooks();
  const lines: string[] = [];
  hooks.say = (_, line) => lines.push(line);
  hooks.onResponse?.({ request: { ...request, bytes }, duration: 1, status: 204, sent: bytes });
  expect(lines[0]?.endsWith(" ms")).toBe(bytes === 0);
});
