import { describe, expect, test, vi } from "vitest";
import type { StoredJob } from "../../entrypoints/shared/job.ts";
import { violationsOf } from "./accessibility.ts";
import { usePopup } from "./popup/harness.ts";
import { asset, failure, half, makeJob, states } from "./popup/jobs.ts";

const popup = usePopup();

const row = (title: string) =>
  popup.page.getByRole("listitem").filter({ has: popup.page.getByRole("heading", { name: title }) });
const button = (name: string) => popup.page.getByRole("button", { name });
const video = { name: "video.mp4", mimeType: "video/mp4", buffer: Buffer.from("video") };
const paste = (text: string, at = "body") =>
  popup.page.evaluate(
    ([text, at]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text ?? "");
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(at ?? "")?.dispatchEvent(paste);
    },
    [text, at],
  );
const focused = () =>
  popup.page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.ariaLabel);

describe("the first run", () => {
  test("leads to the options, and gives way to the list as soon as they are filled", async () => {
    await popup.open({ token: "" });
    await expect.poll(() => button("Choose videos").isVisible()).toBe(false);
    await button("Open options").click();
    expect(await popup.calls()).toEqual(["options"]);
    await popup.page.evaluate(() =>
      (globalThis as unknown as { store(more: object): void }).store({ token: "set" }),
    );
    await button("Choose videos").waitFor();
    expect(await popup.page.getByText("No uploads yet").isVisible()).toBe(true);
    expect(await popup.page.getByText("Connect your account").isVisible()).toBe(false);
  });
});

describe("choosing", () => {
  test("waits until the offscreen document has answered", async () => {
    await popup.open({ answers: false });
    expect(await button("Choose videos").isDisabled()).toBe(true);
    await popup.tell({ type: "ready" });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
  });

  test("hands the files over before the change handler returns, and says how many were taken", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    // As a real dialog does it: the page is gone right after the event.
    const posted = await popup.page.evaluate(() => {
      const posts: unknown[] = [];
      const post = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        posts.push(message.type);
        post.call(this, message);
      };
      const input = document.querySelector<HTMLInputElement>("#files");
      const files = new DataTransfer();
      files.items.add(new File(["video"], "video.mp4", { type: "video/mp4" }));
      if (input) input.files = files.files;
      input?.dispatchEvent(new Event("change"));
      return posts;
    });
    expect(posted).toEqual(["files"]);
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    const [ask] = await popup.asks();
    if (ask?.type !== "files") throw new Error("No files were handed over");
    await popup.tell({ type: "taken", batch: ask.batch, jobIds: ["a", "b"] });
    await expect.poll(() => popup.page.getByRole("status").textContent()).toBe("2 videos added");
  });

  test("opens a dialog for many videos at once, and for the same ones again", async () => {
    await popup.open();
    for (let round = 1; round <= 2; round++) {
      const [chooser] = await Promise.all([
        popup.page.waitForEvent("filechooser"),
        button("Choose videos").click(),
      ]);
      expect(chooser.isMultiple()).toBe(true);
      await chooser.setFiles([video, { ...video, name: "other.mp4" }]);
      await expect.poll(async () => (await popup.asks()).length).toBe(round);
    }
  });

  test("takes dropped files with their handles in a tab, and leaves folders out", async () => {
    await popup.open({ query: "?tab=7" });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const kinds = await popup.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle("video.mp4", { create: true });
      const folder = await root.getDirectoryHandle("folder", { create: true });
      const item = (handle: FileSystemHandle) => ({
        kind: "file",
        getAsFile: () => new File(["video"], handle.name),
        getAsFileSystemHandle: async () => handle,
      });
      const dataTransfer = { types: ["Files"], items: [item(handle), item(folder)] };
      dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer }));
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { asks } = globalThis as unknown as { asks: { files: { file: File; handle: object }[] }[] };
      return asks[0]?.files.map(({ file, handle }) => [file.name, handle.constructor.name]);
    });
    expect(kinds).toEqual([["video.mp4", "FileSystemFileHandle"]]);
  });

  test("takes a link that is pasted anywhere on the page, and asks for its host within that click", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await paste("  https://cdn.example/videos/a%20video.mp4?signature=s#t=1 ");
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    expect((await popup.asks())[0]).toMatchObject({
      type: "addresses",
      videos: [{ address: "https://cdn.example/videos/a%20video.mp4?signature=s", title: "a video.mp4" }],
    });
    expect(await popup.calls()).toEqual(["permission https://cdn.example/*"]);
  });

  test("takes a link that is typed, and refuses what is none before anything is handed over", async () => {
    await popup.open();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const field = popup.page.getByLabel("Link to a video");
    for (const [text, reason] of [
      ["video.mp4", "This is not a link to a video"],
      ["ftp://cdn.example/video.mp4", "This is not a link to a video"],
      ["https://me:secret@cdn.example/video.mp4", "A link with a user name and password"],
      ["https://cdn.example/live.m3u8?a=b", "A stream in pieces"],
    ] as const) {
      await field.fill(text);
      await field.press("Enter");
      await popup.page.getByRole("alert").filter({ hasText: reason }).waitFor();
      expect(await field.inputValue()).toBe(text);
    }
    await paste("not a link");
    await popup.page.getByRole("alert").filter({ hasText: "This is not a link" }).waitFor();
    expect(await popup.asks()).toEqual([]);
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await field.fill("http://cdn.example/");
    expect(await popup.page.getByText("This is not a link").count()).toBe(0);
    expect(await field.getAttribute("aria-invalid")).toBeNull();
    await button("Add").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    expect((await popup.asks())[0]).toMatchObject({ videos: [{ title: "cdn.example" }] });
    expect(await field.inputValue()).toBe("");
  });

  test("leaves a paste into a field to that field", async () => {
    await popup.open({ jobs: [makeJob("draft")] });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await paste("https://cdn.example/video.mp4", "input[id$=-name]");
    expect(await popup.asks()).toEqual([]);
  });

  test("says so when nobody took the files", async () => {
    await popup.open();
    await popup.page.clock.install();
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    await popup.page.locator("#files").setInputFiles(video);
    await popup.page.clock.fastForward(6000);
    await expect
      .poll(() => popup.page.getByRole("alert").first().textContent())
      .toContain("Choose them again");
  });

  test("says so when the offscreen document doesn't come", async () => {
    await popup.open({ answers: false });
    const told = popup.page.getByText("Uploads don't respond. What was uploaded is not lost.");
    await told.waitFor({ timeout: 15_000 });
    const restart = popup.page.getByRole("button", { name: "Restart Upcut" });
    await restart.focus();
    // It was only late.
    await popup.tell({ type: "ready" });
    await told.waitFor({ state: "hidden" });
    expect(await restart.isVisible()).toBe(false);
    expect(await popup.page.locator(":focus").textContent()).toBe("Choose videos");
  });
});

describe("a draft", () => {
  const fields = { name: "holiday-2024", staticMp4: false, method: "auto", further: {} };

  test("sends each edit once typing rests, and the last one before it starts", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await popup.page.getByLabel("Name").fill("Launch");
    await popup.page.getByLabel("Name").pressSequentially(" video", { delay: 10 });
    await expect.poll(async () => (await popup.asks()).length).toBe(1);
    await popup.page.getByLabel("MP4 renditions").check();
    await popup.page.getByLabel("Name").fill("Launch video 2");
    await button("Start").click();
    await expect.poll(async () => (await popup.asks()).at(-1)).toEqual({ type: "start", jobId: "one" });
    expect(await popup.asks()).toEqual([
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video" } },
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video", staticMp4: true } },
      { type: "edit", jobId: "one", fields: { ...fields, name: "Launch video 2", staticMp4: true } },
      { type: "start", jobId: "one" },
    ]);
  });

  test("is not started with a mistake, which is told at its field and gets the focus", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await popup.page.getByText("More", { exact: true }).click();
    await button("Add a profile").click();
    await popup.page.getByLabel("Width").fill("wide");
    await popup.page.getByText("More", { exact: true }).click();
    await button("Start").click();
    const width = popup.page.getByLabel("Width");
    expect(await width.evaluate((input) => document.activeElement === input)).toBe(true);
    expect(await width.getAttribute("aria-invalid")).toBe("true");
    expect(await width.evaluate((input) => input.ariaDescribedByElements?.[0]?.textContent)).toBe(
      "Give a whole number.",
    );
    expect(await popup.asks()).toEqual([]);
    await width.fill("1280");
    await button("Start").click();
    await expect.poll(async () => (await popup.asks()).map(({ type }) => type)).toEqual(["edit", "start"]);
    expect((await popup.asks())[0]).toMatchObject({ fields: { profiles: [{ width: 1280 }] } });
  });

  test("keeps what the person is typing when its own edit comes back", async () => {
    const job = makeJob("draft", { id: "one" });
    await popup.open({ jobs: [job] });
    await popup.page.getByLabel("Name").fill("Launch video ");
    const echo = { ...job, fields: { ...job.fields, name: "Launch" } };
    await popup.tell({ type: "changed", jobs: [echo, makeJob("queued")] });
    await popup.page.getByText("Queued").waitFor();
    expect(await popup.page.getByLabel("Name").inputValue()).toBe("Launch video ");
  });

  test("shows what another page edited", async () => {
    const job = makeJob("draft", { id: "one" });
    await popup.open({ jobs: [job] });
    const name = "From the tab";
    await popup.tell({
      type: "changed",
      jobs: [{ ...job, fields: { ...job.fields, name, profiles: [{ width: 9 }] } }],
    });
    await expect.poll(() => popup.page.getByLabel("Name", { exact: true }).first().inputValue()).toBe(name);
    await popup.page.getByText("More", { exact: true }).click();
    expect(await popup.page.getByLabel("Width").inputValue()).toBe("9");
  });

  test("sends its last edit when the popup closes", async () => {
    await popup.open({ jobs: [makeJob("draft", { id: "one" })] });
    await popup.page.getByLabel("Name").fill("Last words");
    await popup.page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ fields: { name: "Last words" } });
  });

  test("of several, all that are right start at once, and the focus goes to the first mistake", async () => {
    await popup.open({ jobs: ["a", "b", "c"].map((id) => makeJob("draft", { id })) });
    await popup.page.getByLabel("Name").nth(1).fill(" ");
    await button("Start all").click();
    await expect.poll(async () => (await popup.asks()).length).toBe(2);
    expect(await popup.asks()).toEqual([
      { type: "start", jobId: "c" },
      { type: "start", jobId: "a" },
    ]);
    expect(
      await popup.page
        .getByLabel("Name")
        .nth(1)
        .evaluate((input) => document.activeElement === input),
    ).toBe(true);
  });

  test("far from the screen gets its form as it comes near, so that the keyboard goes through all", async () => {
    const count = 40;
    await popup.open({
      jobs: Array.from({ length: count }, (_, index) => makeJob("draft", { id: `job${index}` })),
    });
    await expect.poll(() => popup.page.locator("#list > li").count()).toBe(count);
    const forms = popup.page.locator("#list form");
    expect(await forms.count()).toBeLessThan(count);
    await forms.first().getByLabel("Name").focus();
    const names = new Set<string>();
    for (let keys = 0; names.size < count && keys < 10 * count; keys++) {
      const id = await popup.page.evaluate(() => document.activeElement?.id ?? "");
      if (id.endsWith("-name")) names.add(id);
      await popup.page.keyboard.press("Tab");
    }
    expect(names.size).toBe(count);
    expect(await forms.count()).toBe(count);
  });

  test("far from the screen is started with all others", async () => {
    const count = 40;
    await popup.open({
      jobs: Array.from({ length: count }, (_, index) => makeJob("draft", { id: `job${index}` })),
    });
    await expect.poll(() => popup.page.locator("#list > li").count()).toBe(count);
    await button("Start all").click();
    const started = async () =>
      new Set((await popup.asks()).flatMap((ask) => (ask.type === "start" ? [ask.jobId] : [])));
    await expect.poll(async () => (await started()).size).toBe(count);
    expect(await popup.page.locator("#list form").count()).toBeLessThan(count);
  });
});

describe("the list", () => {
  test("draws progress into the nodes that are there, and the focus stays", async () => {
    const job = makeJob("uploading", { asset, progress: half });
    await popup.open({ jobs: [job] });
    await button("Pause").focus();
    await popup.page.evaluate(() => Object.assign(globalThis, { bar: document.querySelector("progress") }));
    await popup.tell({ type: "changed", jobs: [{ ...job, progress: { ...half, sent: 43_380_000 } }] });
    await popup.page.getByText("90%").waitFor();
    const bar = popup.page.getByRole("progressbar", { name: "holiday-2024" });
    expect(await bar.evaluate((bar) => bar === (globalThis as unknown as { bar: Element }).bar)).toBe(true);
    expect(await focused()).toBe("Pause");
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "paused" }] });
    await popup.page.getByText("Paused · 45% of 48.2 MB").waitFor();
    expect(await focused()).toBe("Continue");
    expect(await popup.page.getByRole("status").textContent()).toBe("holiday-2024: Paused");
  });

  test("never says 100 % before the service has answered", async () => {
    const job = makeJob("uploading", { asset, progress: { ...half, sent: 48_200_000 } });
    await popup.open({ jobs: [job] });
    await popup.page.getByText("Finishing…").waitFor();
    expect(await popup.page.getByRole("progressbar").getAttribute("value")).toBe("0.99");
  });

  test("counts down to the next try", async () => {
    const waiting = { reason: "connection", until: Date.now() + 60_000, attempt: 1 } as const;
    await popup.open({ jobs: [makeJob("waiting", { asset, progress: half, waiting })] });
    await popup.page.getByText("Trying again in 59 sec").waitFor();
    await popup.page.getByText("Trying again in 57 sec").waitFor();
  });

  test("moves the focus to a neighbour when an upload goes, and at last to the way to begin", async () => {
    await popup.open({
      jobs: ["a", "b"].map((id) =>
        makeJob("cancelled", { id, fields: { ...makeJob("draft").fields, name: id } }),
      ),
    });
    await row("b").getByRole("button", { name: "Remove" }).click();
    await popup.tell({ type: "removed", jobIds: ["b"] });
    await expect.poll(() => row("b").count()).toBe(0);
    expect(
      await row("a")
        .getByRole("button", { name: "Remove" })
        .evaluate((it) => document.activeElement === it),
    ).toBe(true);
    await popup.tell({ type: "removed", jobIds: ["a"] });
    await popup.page.getByText("No uploads yet").waitFor();
    expect(await focused()).toBe("Choose videos");
  });

  test("puts new uploads first", async () => {
    const [older, newer] = [makeJob("queued", { id: "older" }), makeJob("queued", { id: "newer" })];
    await popup.open({ jobs: [older] });
    await row("holiday-2024").waitFor();
    await popup.tell({ type: "changed", jobs: [newer] });
    await expect.poll(() => popup.page.getByRole("listitem").count()).toBe(2);
    expect(await popup.page.getByRole("heading", { level: 3 }).first().getAttribute("id")).toBe(
      "title-newer",
    );
  });

  test("announces a failure that comes, not one that was there", async () => {
    const error = failure("interrupted", { retryable: true });
    const job = makeJob("uploading", { asset, progress: half });
    await popup.open({ jobs: [makeJob("failed", { error }), job] });
    await popup.page.getByText("lost too often").waitFor();
    expect(await popup.page.getByRole("alert").filter({ hasText: "lost too often" }).count()).toBe(0);
    await popup.tell({ type: "changed", jobs: [{ ...job, state: "failed", error }] });
    await popup.page.getByRole("alert").filter({ hasText: "lost too often" }).waitFor();
  });

  test("never shows what only the store may know", async () => {
    const entry = { location: "https://upload.example/?token=secret" };
    await popup.open({
      jobs: [makeJob("paused", { asset, journal: { key: "k", entry } } as unknown as Partial<StoredJob>)],
    });
    await row("holiday-2024").waitFor();
    expect(await popup.page.content()).not.toContain("secret");
  });

  test("of a thousand uploads is there at once, and takes news of all of them in its stride", async () => {
    const jobs = Array.from({ length: 1000 }, () => makeJob("uploading", { asset, progress: half }));
    await popup.open({ jobs });
    await expect.poll(() => popup.page.getByRole("listitem").count()).toBe(1000);
    expect(await popup.page.locator("#list > li").last().getAttribute("aria-labelledby")).toBe(
      `title-${jobs[0]?.id}`,
    );
    const news = jobs.map((job) => ({ ...job, progress: { ...half, sent: 43_380_000 } }));
    const duration = await popup.page.evaluate(async (jobs) => {
      const start = performance.now();
      (globalThis as unknown as { tell(news: unknown): void }).tell({ type: "changed", jobs });
      const last = document.querySelector("#list > li:last-child .state");
      while (!last?.textContent?.includes("90%")) await new Promise(requestAnimationFrame);
      return performance.now() - start;
    }, news);
    expect(duration).toBeLessThan(1000);
  });
});

describe("a list that can't be kept", () => {
  test("is told with what can be done about it, and gives axe nothing to say", async () => {
    await popup.open({ jobs: states.mixed?.() ?? [] });
    await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
    const trouble = popup.page.getByRole("region", { name: "Stored list" });
    await popup.tell({ type: "trouble", trouble: "unstored" });
    await trouble.getByRole("alert").filter({ hasText: "can't be stored" }).waitFor();
    expect(await trouble.getByRole("button", { name: "Start a new list" }).isVisible()).toBe(false);
    await trouble.getByRole("button", { name: "Try again" }).click();
    await popup.tell({ type: "trouble", trouble: "unreadable" });
    await trouble.getByRole("button", { name: "Start a new list" }).click();
    expect(await violationsOf(popup.page)).toEqual([]);
    expect(await popup.asks()).toEqual([
      { type: "repair-list", discardStored: false },
      { type: "repair-list", discardStored: true },
    ]);
    await popup.tell({ type: "trouble" });
    await trouble.waitFor({ state: "hidden" });
  });
});

describe("the next steps", () => {
  const ask = async (name: string) => {
    await button(name).click();
    await vi.waitFor(async () => expect(await popup.asks()).not.toEqual([]));
    return await popup.asks();
  };

  test.each([
    ["uploading", {}, "Pause", "pause"],
    ["paused", {}, "Continue", "continue"],
    ["queued", {}, "Cancel", "cancel"],
    ["done", { asset }, "Remove", "remove"],
    ["asset-unknown", { error: failure("asset-unknown") }, "Upload again", "start-over"],
    ["failed", { error: failure("unreachable") }, "Try again", "continue"],
    ["failed", { error: failure("upload-gone") }, "Upload again", "start-over"],
  ] as const)("%s %o: %s", async (state, more, name, type) => {
    await popup.open({ jobs: [makeJob(state, { id: "one", ...more })] });
    expect(await ask(name)).toEqual([{ type, jobId: "one" }]);
  });

  test("cancelling what was begun asks first, and starts with the harmless answer", async () => {
    await popup.open({ jobs: [makeJob("uploading", { id: "one", asset, progress: half })] });
    await button("Cancel").click();
    expect(await focused()).toBe("Keep uploading");
    await popup.page.keyboard.press("Enter");
    expect(await popup.page.getByText("End this upload?").count()).toBe(0);
    expect(await popup.asks()).toEqual([]);
    await button("Cancel").click();
    expect(await ask("End the upload")).toEqual([{ type: "cancel", jobId: "one" }]);
  });

  test("a lost file is asked for by name, handed over in the handler, and a wrong one is told", async () => {
    const job = makeJob("needs-file", { id: "one", asset, progress: half });
    await popup.open({ jobs: [job] });
    await popup.page.getByText("choose “holiday-2024.mp4” (48.2 MB) again").waitFor();
    const [chooser] = await Promise.all([
      popup.page.waitForEvent("filechooser"),
      button("Choose file…").click(),
    ]);
    expect(chooser.isMultiple()).toBe(false);
    await chooser.setFiles(video);
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ type: "give-file", jobId: "one" });
    const got = { ...job.source, name: "video.mp4", size: 4 };
    await popup.tell({ type: "changed", jobs: [{ ...job, refused: got }] });
    await popup.page
      .getByRole("alert")
      .filter({ hasText: "This is another file: “video.mp4” (4 bytes)" })
      .waitFor();
  });

  test("a file that may be read again is, from the handle in the list", async () => {
    await popup.open({
      jobs: [makeJob("needs-permission", { id: "one", asset, needs: { permission: "file" } })],
    });
    await popup.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle("video.mp4", { create: true });
      const opening = indexedDB.open("upcut");
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const jobs = opening.result.transaction("jobs", "readwrite").objectStore("jobs");
      jobs.get("one").onsuccess = ({ target }) => {
        const { source, ...job } = (target as IDBRequest).result;
        jobs.put({ ...job, source: { ...source, handle } });
      };
    });
    expect(await ask("Allow reading the file")).toEqual([{ type: "permission-given", jobId: "one" }]);
  });

  test("a file that can't be read again may be chosen instead", async () => {
    await popup.open({
      jobs: [makeJob("needs-permission", { id: "one", asset, needs: { permission: "file" } })],
    });
    await button("Allow reading the file").click();
    await popup.page.getByRole("alert").filter({ hasText: "Open this list in a tab" }).waitFor();
    await row("holiday-2024").locator("input[type=file]").setInputFiles(video);
    await expect.poll(async () => (await popup.asks())[0]).toMatchObject({ type: "give-file", jobId: "one" });
  });

  test("a host is asked for within the click", async () => {
    const needs = { permission: "host", origin: "https://upload.example:8443" } as const;
    await popup.open({ jobs: [makeJob("needs-permission", { id: "one", asset, needs })] });
    expect(await ask("Allow this host")).toEqual([{ type: "permission-given", jobId: "one" }]);
    expect(await popup.calls()).toEqual(["permission https://upload.example/*"]);
  });

  test("ids and links of a finished upload are copied", async () => {
    await popup.open({
      jobs: [makeJob("done", { asset })],
      settings: { playbackPage: "https://watch.example/?v={playbackId}" },
    });
    const clipboard = () => popup.page.evaluate(() => navigator.clipboard.readText());
    await button("Copy asset id").click();
    await button("Copied").waitFor();
    expect(await clipboard()).toBe(asset.id);
    await button("Copy playback id").click();
    await expect.poll(clipboard).toBe(asset.playbackId);
    await button("Copy link").click();
    await expect.poll(clipboard).toBe(`https://watch.example/?v=${asset.playbackId}`);
    expect(await popup.page.getByRole("link", { name: "Open", exact: true }).getAttribute("href")).toBe(
      `https://watch.example/?v=${asset.playbackId}`,
    );
  });

  test("without a link it says why there is none", async () => {
    await popup.open({ jobs: [makeJob("done", { asset })] });
    await popup.page.getByText("The service gave no link").waitFor();
  });

  test("what has ended is cleared", async () => {
    await popup.open({ jobs: [makeJob("done", { asset }), makeJob("queued")] });
    expect(await ask("Clear finished")).toEqual([{ type: "clear-ended" }]);
  });
});

describe("the focus of a button that goes with its use is kept on the page", () => {
  test("when the finished are cleared", async () => {
    const done = makeJob("done", { asset });
    await popup.open({ jobs: [done, makeJob("queued")] });
    await button("Clear finished").press("Enter");
    await popup.tell({ type: "removed", jobIds: [done.id] });
    await button("Clear finished").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });

  test("when all drafts are started", async () => {
    const drafts = [makeJob("draft"), makeJob("draft")];
    await popup.open({ jobs: drafts });
    await button("Start all").press("Enter");
    await popup.tell({ type: "changed", jobs: drafts.map((job) => ({ ...job, state: "queued" })) });
    await button("Start all").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });

  test("when the list can be stored again", async () => {
    await popup.open();
    await popup.tell({ type: "trouble", trouble: "unstored" });
    await button("Try again").press("Enter");
    await popup.tell({ type: "trouble" });
    await button("Try again").waitFor({ state: "hidden" });
    expect(await focused()).toBe("Choose videos");
  });
});

describe("the page", () => {
  test("opens in a tab that knows the tab it came from", async () => {
    await popup.open();
    await expect
      .poll(() => popup.page.getByRole("link", { name: "Open in a tab" }).getAttribute("href"))
      .toBe("?tab=7");
  });

  test.each(["light", "dark"])(
    "has no scroll bars and clips no text in the common case (%s)",
    async (scheme) => {
      await popup.open({
        jobs: [makeJob("done", { asset }), makeJob("uploading", { asset, progress: half })],
        dark: scheme === "dark",
      });
      await row("holiday-2024").first().waitFor();
      const overflow = await popup.page.evaluate(() =>
        [document.documentElement, document.getElementById("list")].map(
          (each) => each && [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight],
        ),
      );
      expect(overflow).toEqual([
        [0, 0],
        [0, 0],
      ]);
    },
  );

  describe.each(["light", "dark"])("%s", (scheme) => {
    const dark = scheme === "dark";

    test("gives axe nothing to say in any state", async () => {
      const jobs = Object.values(states).flatMap((make) => make());
      // Rows further down are only laid out when they are scrolled to.
      for (let first = 0; first < jobs.length; first += 12) {
        await popup.open({ jobs: jobs.slice(first, first + 12), dark });
        await expect.poll(() => button("Choose videos").isEnabled()).toBe(true);
        expect(await violationsOf(popup.page)).toEqual([]);
      }
    });

    test("gives axe nothing to say on the first run, in a tab, with an open form, mistakes and a question", async () => {
      await popup.open({ token: "", dark });
      expect(await violationsOf(popup.page)).toEqual([]);
      await popup.open({
        jobs: [...(states.draft?.() ?? []), ...(states.uploading?.() ?? [])],
        query: "?tab=7",
        dark,
      });
      await button("Cancel").click();
      await popup.page.getByText("More", { exact: true }).click();
      await button("Add a profile").click();
      await popup.page.getByLabel("Width").fill("wide");
      await popup.page.getByLabel("Webhook context").fill("plan: gold");
      await button("Start").click();
      await popup.page.getByText("Give a whole number.").waitFor();
      expect(await violationsOf(popup.page)).toEqual([]);
    });
  });
});
