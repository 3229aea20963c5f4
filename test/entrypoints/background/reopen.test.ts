import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noteAnswer, noteTaken } from "../../../entrypoints/background/reopen.ts";
import type { DialogNote } from "../../../entrypoints/shared/dialog-note.ts";

let session: Record<string, unknown>;
let isOpen: boolean;
/** What `openPopup()` was called with. */
let tries: unknown[];
/** What it does. */
let open: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  session = {};
  isOpen = false;
  tries = [];
  open = () => {
    throw new Error("Could not find an active browser window.");
  };
  const chrome = {
    storage: {
      session: {
        get: async (key: string) => ({ [key]: session[key] }),
        set: async (items: object) => void Object.assign(session, items),
        remove: async (key: string) => void delete session[key],
      },
    },
    runtime: { getContexts: async () => (isOpen ? [{}] : []) },
    action: {
      openPopup: async (options: unknown) => {
        tries.push(options);
        open();
      },
    },
  };
  vi.stubGlobal("chrome", chrome);
});
afterEach(async () => {
  session = {};
  await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();
});

function note(more: Partial<DialogNote> = {}): void {
  session.dialog = { batch: "one", kind: "file", windowId: 3, at: Date.now(), ...more } satisfies DialogNote;
}

/** The popup that opens takes the note away a moment later. */
function openAndTake(): void {
  isOpen = true;
  setTimeout(() => delete session.dialog, 100);
}

test("noteTaken() opens the popup above its window as soon as the browser lets it, with the upload to show", async () => {
  note();
  await noteTaken({ batch: "one", jobIds: ["first", "second"] });
  expect(session.dialog).toMatchObject({ jobId: "first" });
  await vi.advanceTimersByTimeAsync(600);
  expect(tries).toEqual([{ windowId: 3 }, { windowId: 3 }, { windowId: 3 }]);
  open = openAndTake;
  await vi.advanceTimersByTimeAsync(2000);
  expect(tries).toHaveLength(4);
});

test("noteTaken() waits for the old popup to close, and opens none where the person was faster", async () => {
  note();
  isOpen = true;
  await noteTaken({ batch: "one", jobIds: [] });
  await vi.advanceTimersByTimeAsync(1000);
  expect(tries).toEqual([]);
  delete session.dialog;
  isOpen = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(tries).toEqual([]);
});

test("noteTaken() gives up after a minute, and leaves the note to the next popup", async () => {
  note();
  await noteTaken({ batch: "one", jobIds: ["first"] });
  await vi.advanceTimersByTimeAsync(120_000);
  expect(tries.length).toBeGreaterThan(200);
  expect(tries.length).toBeLessThanOrEqual(240);
  expect(session.dialog).toMatchObject({ jobId: "first" });
});

test.each([
  ["nothing was noted", undefined, { batch: "one", jobIds: ["first"] }],
  ["what was taken came from elsewhere", {}, { batch: "other", jobIds: ["first"] }],
  ["the browser's question is still open", { kind: "host" }, { batch: "one", jobIds: ["first"] }],
] as const)("noteTaken() opens nothing where %s", async (_, noted, taken) => {
  if (noted !== undefined) note(noted);
  await noteTaken({ ...taken, jobIds: [...taken.jobIds] });
  await vi.advanceTimersByTimeAsync(1000);
  expect(tries).toEqual([]);
});

test("noteTaken() knows a file that was given again by its upload", async () => {
  note({ jobId: "lost" });
  open = openAndTake;
  await noteTaken({ jobIds: ["lost"] });
  await vi.advanceTimersByTimeAsync(1000);
  expect(tries).toHaveLength(1);
});

test("noteAnswer() opens the popup after a question, and not after one that nobody remembers", async () => {
  note({ kind: "host", at: Date.now() - 600_000 });
  await noteAnswer();
  note({ kind: "file" });
  await noteAnswer();
  await vi.advanceTimersByTimeAsync(1000);
  expect(tries).toEqual([]);
  note({ kind: "host" });
  open = openAndTake;
  await noteAnswer();
  await noteAnswer();
  await vi.advanceTimersByTimeAsync(1000);
  expect(tries).toHaveLength(1);
});
