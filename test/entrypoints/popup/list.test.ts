import { expect, test, vi } from "vitest";
import {
  drafts,
  inGrace,
  latestDone,
  offered,
  showStored,
  startable,
} from "../../../entrypoints/popup/list.ts";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";

test("the list tells what is offered, startable, about to start, and done last", () => {
  vi.stubGlobal("document", { hidden: true });
  const error = failure("unauthorized");
  showStored([
    makeJob("failed", { id: "offered", error, retryOffered: true }),
    makeJob("failed", { id: "refused", error }),
    makeJob("failed", { id: "interrupted", error: failure("interrupted"), retryOffered: true }),
    makeJob("draft", { id: "draft" }),
    makeJob("draft", { id: "asked", uploadedBefore: 1 }),
    makeJob("queued", { id: "grace", startsAt: Date.now() + 4000 }),
    makeJob("queued", { id: "waiting" }),
    makeJob("done", { id: "older" }),
    makeJob("done", { id: "latest" }),
  ]);
  const lists = [offered, drafts, startable, inGrace].map(({ value }) => value.map(({ id }) => id).sort());
  expect(lists).toEqual([["offered"], ["asked", "draft"], ["draft"], ["grace"]]);
  expect(latestDone.value).toBe("latest");
});
