import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { PageOptions } from "../../support/extension/pages/page-server.ts";
import {
  account,
  allowed,
  answer,
  focused,
  recordOf,
  refused,
  usePages,
} from "../../support/extension/pages/use-pages.ts";

const openPage = usePages();

const open = (faked: PageOptions = {}, id = "a b/ä") =>
  openPage("terminate", { storage: account, allowed, ...faked, query: `?id=${encodeURIComponent(id)}` });
const refusal = (...args: Parameters<typeof refused>) => ({ answers: [refused(...args)] });
const notAllowed = { missing: { permission: "host", origin: "https://video.example" } } as const;
const buttons = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll("button")].map(({ id }) => id));
const told = async (page: Page) => {
  await page.locator("#outcome").waitFor();
  return page.evaluate(() => {
    const line = document.querySelector("#outcome > p");
    return { role: line?.role, title: line?.textContent };
  });
};

describe("the terminate window", () => {
  test("shows the id and focuses Cancel, so that Enter ends nothing", async () => {
    const page = await open();
    expect(await page.inputValue("#id")).toBe("a b/ä");
    expect(await focused(page)).toBe("close");
    await page.keyboard.press("Enter");
    expect(await recordOf(page)).toMatchObject({ messages: [], closed: 1 });
    await page.keyboard.press("Escape");
    expect(await recordOf(page)).toMatchObject({ messages: [], closed: 2 });
  });

  test("ends a session by keyboard alone, and asks once", async () => {
    const page = await open({ answers: ["later"] });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Ending…").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await answer(page, { ended: true });
    expect(await told(page)).toEqual({ role: "status", title: "Ended, if it was live" });
    expect(await focused(page)).toBe("close");
    expect(await buttons(page)).toEqual(["close"]);
    await page.focus("#id");
    await page.keyboard.press("Enter");
    expect(await recordOf(page)).toMatchObject({
      messages: [{ to: "background", type: "terminate-stream", id: "a b/ä" }],
      closed: 0,
    });
  });

  test("shows an id without what nobody sees in it, and the service's words without what turns their direction", async () => {
    const { answers } = refusal("rejected", { details: ["not \u202Eallowed", "\ud800"] });
    const page = await open({ answers: [...answers, { ended: true }] }, "stream\u202E-1\u200B");
    expect(await page.inputValue("#id")).toBe("stream-1");
    await page.fill("#id", "\u2067stream-2\u2069");
    await page.keyboard.press("Enter");
    expect((await told(page)).role).toBe("alert");
    expect(await page.inputValue("#id")).toBe("stream-2");
    expect((await recordOf(page)).messages).toMatchObject([{ id: "stream-2" }]);
    expect(await page.textContent("blockquote")).toBe("not allowed\n\ufffd");
    // What may have been mistyped is selected.
    expect(await focused(page)).toBe("id");
    expect(await page.evaluate(() => getSelection()?.toString())).toBe("stream-2");
  });

  test("never sends an id that core refuses", async () => {
    const page = await open({ answers: [{ ended: true }] }, "");
    expect(await focused(page)).toBe("id");
    for (const id of ["  ", "..", "a\u0000b"]) {
      await page.fill("#id", id);
      await page.click("#end");
      expect(await page.getAttribute("#id", "aria-invalid")).toBe("true");
      expect(await page.getAttribute("#id", "aria-describedby")).toBe("id-problem");
      expect(await focused(page)).toBe("id");
    }
    await page.fill("#id", " right ");
    expect(await page.getAttribute("#id", "aria-invalid")).toBeNull();
    await page.keyboard.press("Enter");
    await told(page);
    expect((await recordOf(page)).messages).toMatchObject([{ id: "right" }]);
    // Nothing can be ended by mistake before there is an id.
    expect(await focused(await open({}, ".."))).toBe("id");
  });

  test("leads to the options where the settings are wrong", async () => {
    const page = await open(refusal("unauthorized"));
    await page.click("#end");
    await told(page);
    expect(await buttons(page)).toEqual(["close", "options"]);
    expect(await focused(page)).toBe("options");
    await page.keyboard.press("Enter");
    expect(await recordOf(page)).toMatchObject({ calls: ["options"], closed: 1 });
  });

  test("counts down after too many requests, and then offers another try", async () => {
    const { answers } = refusal("rate-limited", { retryAfter: 3000 });
    const page = await open({ answers: [...answers, { ended: true }], clock: true });
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
    await page.click("#end");
    await told(page);
    expect(await focused(page)).toBe("end");
    expect(await page.textContent("#end")).toBe("Try again in 3\u00a0sec");
    await page.clock.runFor(1000);
    expect(await page.textContent("#end")).toBe("Try again in 2\u00a0sec");
    await page.keyboard.press("Enter");
    await page.clock.runFor(2000);
    expect(await page.getAttribute("#end", "aria-disabled")).toBe("false");
    expect((await recordOf(page)).messages).toHaveLength(1);
    await page.keyboard.press("Enter");
    await page.getByText("Ended, if it was live").waitFor();
    expect((await recordOf(page)).messages).toHaveLength(2);
  });

  test("takes a call that comes too soon after a failure for no answer to what became of the session", async () => {
    const { answers } = refusal("service-error");
    const page = await open({ answers: [...answers, refused("rate-limited")], clock: true });
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
    await page.click("#end");
    expect((await told(page)).title).toBe(
      "The service has a problem: it is not known whether the stream ended",
    );
    expect(await page.textContent("#end")).toBe("Try again in 5\u00a0sec");
    await page.clock.runFor(5000);
    await page.click("#end");
    await page.getByText("It is still not known whether the stream ended").waitFor();
    await page.clock.runFor(5000);
    // Of another stream nothing is open.
    await page.fill("#id", "another");
    await page.click("#end");
    await page.getByText("Too soon after the last request").waitFor();
    expect((await recordOf(page)).messages).toHaveLength(3);
  });

  test("says that it is not known when the worker died, and repeats nothing by itself", async () => {
    const page = await open({ answers: ["died"] });
    await page.click("#end");
    expect(await told(page)).toEqual({
      role: "alert",
      title: "It is not known whether the stream ended",
    });
    await page.getByText("Trying again ends whatever stream is live then.").waitFor();
    expect(await focused(page)).toBe("end");
    expect(await page.textContent("#end")).toBe("Try again");
    expect((await recordOf(page)).messages).toHaveLength(1);
  });

  test("asks for the host within the click that ends the session then", async () => {
    const page = await open({ allowed: [], answers: [notAllowed, { ended: true }] });
    await page.click("#end");
    await told(page);
    expect(await page.textContent("#allow")).toBe("Allow video.example and end");
    expect(await focused(page)).toBe("allow");
    await page.keyboard.press("Enter");
    await page.getByText("Ended, if it was live").waitFor();
    expect(await recordOf(page)).toMatchObject({
      requests: [{ origins: ["https://video.example/*"], inClick: true }],
      messages: [{ id: "a b/ä" }, { id: "a b/ä" }],
    });
  });

  test("tries nothing more when the host is not allowed", async () => {
    const page = await open({ allowed: [], agrees: false, answers: [notAllowed] });
    await page.click("#end");
    await page.click("#allow");
    expect(await recordOf(page)).toMatchObject({
      requests: [{ inClick: true }],
      messages: [{ id: "a b/ä" }],
    });
    expect(await buttons(page)).toEqual(["close", "allow"]);
  });
});
