import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorRecord, Progress, UploadResult } from "../../core/mod.ts";
import { useService } from "../service/use-service.ts";
import { note } from "../support/caught.ts";
import { content, MiB, sha256 } from "../support/content.ts";
import { table } from "../support/in-all.ts";
import { bundle } from "./bundle.ts";
import type { EdgeTask } from "./edge/uploader.ts";
import { startWorkerd, type Workerd } from "./edge/workerd.ts";

interface EdgeAnswer {
  done?: true;
  result?: UploadResult;
  reports?: Progress[];
  error?: ErrorRecord;
}

const size = 10 * MiB + 5;
const methods = ["resumable", "direct"] as const;
/** As of an early date a worker has web standards only, as of a late one also Node's globals and modules. */
const dates = [
  { date: "2024-01-01", node: false },
  { date: "2026-10-01", node: true },
] as const;
const service = useService({ assetCall: true });
let edge: Workerd;

async function ask(task: EdgeTask, body?: Uint8Array<ArrayBuffer>, type = "video/mp4"): Promise<EdgeAnswer> {
  const response = await fetch(edge.url, {
    method: "POST",
    headers: { "x-task": JSON.stringify(task), "content-type": type },
    ...(body && { body }),
  });
  const text = await response.text();
  note(text);
  return JSON.parse(text) as EdgeAnswer;
}

/** Uploads in the worker and compares what arrived. */
async function send(task: EdgeTask, body?: Uint8Array<ArrayBuffer>, expected = body): Promise<EdgeAnswer> {
  const answer = await ask(task, body);
  expect(answer.error).toBeUndefined();
  const id = answer.result?.asset.id ?? "";
  expect((await service.whole(id)).sha256).toBe(sha256(expected ?? new Uint8Array()));
  expect(answer.reports?.at(-1)).toMatchObject({ state: "done", acknowledged: expected?.length });
  expect((answer.reports ?? []).slice(0, -1).every(({ fraction = 0 }) => fraction <= 0.99)).toBe(true);
  return answer;
}

async function start({ date }: (typeof dates)[number]): Promise<void> {
  const script = await bundle("edge/uploader.ts", ["workerd", "worker", "browser", "module"]);
  edge = await startWorkerd(script, date, { BASE_URL: service.baseUrl, TOKEN: service.token });
}

describe.each(table(dates))("workerd as of $date", (each) => {
  beforeAll(() => start(each));
  afterAll(() => edge?.stop());

  test(each.node ? "has Node's globals" : "has web standards only", async () => {
    expect(await ask({ do: "introduce" })).toEqual({ agent: "Cloudflare-Workers", node: each.node });
  });

  test.each(table(methods))("resumes a Blob by the %s method after a reset", async (method) => {
    const verb = method === "direct" ? "PUT" : "PATCH";
    await service.set({ resetAfter: [{ host: "upload", method: verb, bytes: 2 * MiB, times: 1 }] });
    const { reports = [] } = await send({ do: "blob", options: { method } }, content(size));
    expect(reports.map(({ state }) => state)).toContain("waiting");
    expect(await service.assets()).toHaveLength(1);
  });

  test.each(["blob", "stream"] as const)("compares a %s with the hash of what is stored", async (kind) => {
    const { result } = await send({ do: kind, options: { verify: true, filename: "a.mp4" } }, content(size));
    expect(result?.verified).toBe("sha256");
  });
});

describe("workerd with web standards only", () => {
  beforeAll(() => start(dates[0]));
  afterAll(() => edge?.stop());

  test.each(table(methods))(
    "brings a stream of known size to the service by the %s method, with its length",
    async (method) => {
      const task: EdgeTask = { do: "stream", options: { method, size, filename: "edge.mp4" } };
      const { reports = [] } = await send(task, content(size));
      expect(reports.some(({ state, sent }) => state === "sending" && sent > 0 && sent < size)).toBe(true);
      for (const request of await service.requests(method === "direct" ? "PUT" : "PATCH"))
        expect(request).toMatchObject({ transferEncoding: null, contentLength: expect.any(String) });
    },
  );

  test.each(table(methods))(
    "brings the video at an address to the service by the %s method",
    async (method) => {
      const bytes = content(size);
      const { result } = await send({ do: "blob" }, bytes);
      const { asset } = await service.whole(result?.asset.id ?? "");
      const options = { method, filename: "again.mp4", type: "video/mp4" };
      await send({ do: "url", what: asset.downloadUrl ?? "", options }, undefined, bytes);
      expect(await service.assets()).toHaveLength(2);
    },
  );

  test("brings a stream of unknown size to the service", async () => {
    await send({ do: "stream", options: { filename: "edge.mp4" } }, content(20 * MiB + 3));
    const [stored] = await service.uploads();
    expect(stored?.ranges.map(([, end]) => end)).toEqual([8 * MiB, 16 * MiB, 20 * MiB + 3]);
  });

  test("ends a live stream", async () => {
    const [stream] = await service.streams();
    await service.startSession(stream?.id ?? "");
    expect(await ask({ do: "terminate", what: stream?.id ?? "" })).toEqual({ done: true });
    expect((await service.streams())[0]).toMatchObject({ id: stream?.id, live: false, recording: false });
  });
});
