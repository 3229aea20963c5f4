/** Words of somebody else's may be names of what every object has: no table of ours finds anything under them. */
import { describe, expect, test, vi } from "vitest";
import type { ErrorCode } from "../../core/mod.ts";
import { handleRequests } from "../../entrypoints/background/messages.ts";
import { kindLabel } from "../../entrypoints/page-videos/message-catalogue.ts";
import type { PageVideo } from "../../entrypoints/page-videos/page-video.ts";
import { errorSentences } from "../../entrypoints/popup/error-messages.ts";
import { checkOutcomeOf } from "../../entrypoints/shared/account-check.ts";
import type { JobState } from "../../entrypoints/shared/job.ts";
import { byPlace } from "../../entrypoints/shared/list-order.ts";
import type { BackgroundRequest } from "../../entrypoints/shared/messages.ts";
import { accountFault } from "../../entrypoints/shared/next-steps.ts";
import { outcomeOf } from "../../entrypoints/shared/terminate-outcome.ts";
import { failure, makeJob } from "../support/extension/pages/jobs.ts";

const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

const failed = (code: string) => failure(code as ErrorCode);
const video = (type: string) => ({ kind: "file", type, address: "https://a.example/b" }) as PageVideo;

/** Everything that looks a word up, with what it says of one that it doesn't know. */
const TABLES: [string, (word: string) => unknown][] = [
  ["accountFault()", (word) => accountFault(makeJob("failed", { error: failed(word) }))],
  ["checkOutcomeOf()", (word) => checkOutcomeOf("https://a.example", { error: failed(word) })],
  ["errorSentences()", (word) => errorSentences(failed(word), makeJob("failed"))],
  ["errorSentences() of a link", (word) => errorSentences(failed(word), { source: link })],
  ["outcomeOf()", (word) => outcomeOf({ error: failed(word) })],
  ["byPlace()", (word) => byPlace({ state: word as JobState, createdAt: 1 }, makeJob("done")) > 0],
  ["kindLabel()", (word) => kindLabel(video(`video/${word}`)).toLowerCase()],
];
const link = {
  kind: "url",
  name: "a.mp4",
  type: "",
  lastModified: 0,
  host: "a.example",
  hasPage: false,
} as const;

describe.each(TABLES)("%s", (_, read) => {
  test.each(NAMES)("knows no %s", (name) => {
    const shown = (word: string) =>
      String(JSON.stringify(read(word)))
        .replaceAll(word.toLowerCase(), "word")
        .replaceAll(word, "word");
    expect(shown(name)).toBe(shown("unheard-of"));
  });
});

test("a request of that name gets no response, and stops nobody", () => {
  const listeners: ((message: unknown, sender: object, respond: () => void) => boolean)[] = [];
  const onMessage = { addListener: (listener: (typeof listeners)[number]) => listeners.push(listener) };
  vi.stubGlobal("chrome", {
    ...chrome,
    runtime: { id: "own", onMessage, getURL: () => "chrome-extension://own/" },
  });
  handleRequests({} as Parameters<typeof handleRequests>[0]);
  for (const type of NAMES)
    expect(
      listeners[0]?.({ to: "background", type } as unknown as BackgroundRequest, { id: "own" }, () => {}),
    ).toBe(false);
});
