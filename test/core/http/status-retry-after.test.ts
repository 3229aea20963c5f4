import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { openFile } from "../../../core/file.ts";
import { readRetryAfter } from "../../../core/http/status.ts";
import { createClient, type Requester, upload } from "../../../core/mod.ts";
import { caught } from "../../support/caught.ts";
import { writeContent } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { useFolder } from "../../support/use-folder.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const longest = 2 ** 31 - 1;

test.each<[string | null | undefined, number | undefined]>([
  ["0", 0],
  [" 5 ", 5_000],
  ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
  ["", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  [null, undefined],
  [undefined, undefined],
  ["2147483", 2_147_483_000],
  ["2147484", longest],
  ["9".repeat(400), longest],
  ["Sun, 25 Jan 2026 20:31:23 GMT", 2_147_483_000],
  ["Sun, 25 Jan 2026 20:31:24 GMT", longest],
  ["Fri, 01 Jan 9999 00:00:00 GMT", longest],
  ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
  ["\t 12\t ", 12_000],
  ["a12", undefined],
  ["12a", undefined],
  ["1 2", undefined],
  ["Thu, 01 Jan 2026", undefined],
  ["2026-01-02", undefined],
  ["99:99:99", undefined],
])("readRetryAfter() reads %j as %d", (value, wait) => expect(readRetryAfter(value, now)).toBe(wait));

describe.each([
  ["a year ahead of", 365],
  ["a year behind", -365],
  ["as", 0],
])("a date to wait for counts by the clock of whoever answers, which is %s ours", (_, days) => {
  const folder = useFolder("retry-after");
  const WAIT = 3_000;

  /** Is too busy for three seconds, which it names as a date. */
  async function busyHost(): Promise<string> {
    const server = createServer((request, response) => {
      const now = Date.now() + days * 24 * 60 * 60 * 1000;
      const dates = [now, now + WAIT].map((date) => new Date(date).toUTCString());
      request.resume();
      response.sendDate = false;
      response.writeHead(429, { date: dates[0], "retry-after": dates[1] }).end();
    });
    return await listen(server);
  }

  const giveUp = { retry: { shouldRetry: () => false } };

  test("at the account", async () => {
    const client = createClient({ baseUrl: await busyHost(), token: "t" });
    const error = await caught(client.requestUpload({ name: "a" }));
    expect(error).toMatchObject({ code: "rate-limited", retryAfter: WAIT });
  });

  test.each(["a file", "a Blob"])("at the upload host, for %s", async (kind) => {
    const tusEndpoint = `${await busyHost()}/create`;
    const location = { asset: { id: "asset-1" }, tusEndpoint, mismatches: [] };
    const requester: Requester = { scope: "test", requestUpload: async () => location };
    const path = `${folder.path}/video.mp4`;
    await writeContent(path, 1000);
    const source = kind === "a file" ? await openFile(path) : new File(["…"], "video.mp4");
    const error = await caught(upload(requester, source, { method: "resumable", ...giveUp }));
    expect(error).toMatchObject({ code: "interrupted", httpStatus: 429, retryAfter: WAIT });
  });

  test("at the host of a video", async () => {
    const requester: Requester = { scope: "test", requestUpload: () => Promise.reject(new Error("asked")) };
    const error = await caught(upload(requester, new URL("/video.mp4", await busyHost())));
    expect(error).toMatchObject({ code: "source-unreadable", httpStatus: 429, retryAfter: WAIT });
  });
});
