import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorRecord, Progress, UploadResult } from "../../core/mod.ts";
import { note } from "../caught.ts";
import { content, sha256 } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { bundle } from "./bundle.ts";
import type { EdgeTask } from "./edge/uploader.ts";
import { startWorkerd, type Workerd } from "./edge/workerd.ts";

interface EdgeAnswer {
  done?: true;
  result?: UploadResult;
  reports?: Progress[];
  error?: ErrorRecord;
}

const MiB = 1024 * 1024;
const conditions = ["workerd", "worker", "browser", "module"];
/** As of an early date a worker has web standards only, as of a late one also Node's globals and modules. */
const dates = [
  { date: "2024-01-01", node: false },
  { date: "2026-10-01", node: true },
];
const service = useService();
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

describe.each(dates)("workerd as of $date", ({ date, node }) => {
  const bindings = () => ({ BASE_URL: service.baseUrl, TOKEN: service.token });

  beforeAll(async () => {
    edge = await startWorkerd(await bundle("edge/uploader.ts", conditions), date, bindings());
  });
  afterAll(() => edge?.stop());

  test(node ? "has Node's globals" : "has web standards only", async () => {
    expect(await ask({ do: "introduce" })).toEqual({ agent: "Cloudflare-Workers", node });
  });

  describe.each(["resumable", "direct"] as const)("upload() by the %s method", (method) => {
    const size = 10 * MiB + 5;

    test("brings a Blob to the service", async () => {
      await send({ do: "blob", options: { method } }, content(size));
      expect(await service.assets()).toHaveLength(1);
    });

    test("brings a stream of known size to the service, with its length", async () => {
      const task: EdgeTask = { do: "stream", options: { method, size, filename: "edge.mp4" } };
      const { reports = [] } = await send(task, content(size));
      expect(reports.some(({ state, sent }) => state === "sending" && sent > 0 && sent < size)).toBe(true);
      for (const request of await service.requests(method === "direct" ? "PUT" : "PATCH"))
        expect(request).toMatchObject({ transferEncoding: null, contentLength: expect.any(String) });
    });

    test("brings the video at an address to the service", async () => {
      const bytes = content(size);
      const { result } = await send({ do: "blob" }, bytes);
      const { asset } = await service.whole(result?.asset.id ?? "");
      const options = { method, filename: "again.mp4", type: "video/mp4" };
      await send({ do: "url", what: asset.downloadUrl ?? "", options }, undefined, bytes);
      expect(await service.assets()).toHaveLength(2);
    });

    test("resumes after a reset", async () => {
      const verb = method === "direct" ? "PUT" : "PATCH";
      await service.set({ resetAfter: [{ host: "upload", method: verb, bytes: 2 * MiB, times: 1 }] });
      const { reports = [] } = await send({ do: "blob", options: { method } }, content(size));
      expect(reports.map(({ state }) => state)).toContain("waiting");
      expect(await service.assets()).toHaveLength(1);
    });
  });

  test("upload() brings a stream of unknown size to the service", async () => {
    await send({ do: "stream", options: { filename: "edge.mp4" } }, content(20 * MiB + 3));
    const [stored] = await service.uploads();
    expect(stored?.ranges.map(([, end]) => end)).toEqual([8 * MiB, 16 * MiB, 20 * MiB + 3]);
  });

  test("upload() refuses a direct upload of unknown size before anything is sent", async () => {
    const { error } = await ask(
      { do: "stream", options: { method: "direct", filename: "edge.mp4" } },
      content(MiB),
    );
    expect(error).toMatchObject({ name: "InputError", code: "invalid-source" });
    expect(await service.requests("POST")).toHaveLength(0);
  });

  describe("terminateStream()", () => {
    test("ends a live stream", async () => {
      const [stream] = await service.streams();
      await service.startSession(stream?.id ?? "");
      expect(await ask({ do: "terminate", what: stream?.id ?? "" })).toEqual({ done: true });
      expect((await service.streams())[0]).toMatchObject({ id: stream?.id, live: false, recording: false });
    });

    test("tells what the service refuses", async () => {
      const { error } = await ask({ do: "terminate", what: "no such stream" });
      expect(error).toMatchObject({ name: "ServiceError", httpStatus: 404 });
    });

    test("works from the client alone, which carries no upload code", async () => {
      const script = await bundle("edge/terminator.ts", conditions);
      expect(script).not.toMatch(/tus-resumable|Upload-Offset/i);
      const alone = await startWorkerd(script, date, bindings());
      try {
        const [stream] = await service.streams();
        await service.startSession(stream?.id ?? "");
        const response = await fetch(`${alone.url}/${encodeURIComponent(stream?.id ?? "")}`);
        expect(await response.json()).toEqual({ done: true });
        expect((await service.streams())[0]).toMatchObject({ id: stream?.id, live: false });
      } finally {
        await alone.stop();
      }
    });
  });
});
