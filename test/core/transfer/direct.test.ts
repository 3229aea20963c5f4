import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { type Progress, type Requester, type UploadOptions, upload } from "../../../core/mod.ts";
import type { AnswerRule } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, contentStream, MiB, videoFile } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { inNode } from "../../support/in-all.ts";

const DIRECT: UploadOptions = {
  method: "direct",
  retry: { minDelay: 10, maxDelay: 50 },
  // The service's own store has nothing on its way once a connection is gone.
  timeout: { settle: 50 },
};
const service = useService();

const expectWhole = async (id: string, size: number) =>
  expect((await service.whole(id)).sha256).toBe(contentHash(size));
/** The answer to a PUT from now on. */
const answer = (rule: Omit<AnswerRule, "host" | "method">) =>
  service.set({ answerStatus: [{ host: "upload", method: "PUT", ...rule }] });

describe("a direct upload", () => {
  inNode("believes 'already uploaded' only after a try that handed over everything", async () => {
    const account = service.client();
    await answer({ status: 422, body: '{"errors":["asset has already been uploaded"]}' });
    for (let call = 0; call < 2; call++) {
      const error = await caught(upload(account, videoFile(MiB), DIRECT));
      expect(error).toMatchObject({ code: "location-refused", httpStatus: 422 });
    }
    expect(await service.assets()).toHaveLength(1);
  });

  test("sends a stream of known length once, and says when it would have to be sent again", async () => {
    const size = 3 * MiB;
    const options = { ...DIRECT, filename: "stream.mp4", size };
    const { asset } = await upload(service.client(), contentStream(size), options);
    await expectWhole(asset.id, size);
    await answer({ status: 503, times: 1 });
    expect(await caught(upload(service.client(), contentStream(size), options))).toMatchObject({
      code: "source-used-up",
    });
  });

  inNode("of a file of another type says nothing of it, since a host may keep that for itself", async () => {
    const file = new Blob([content(MiB)], { type: "application/json" });
    const { asset } = await upload(service.client(), file, { ...DIRECT, type: "any" });
    await expectWhole(asset.id, MiB);
  });
});

test("a direct upload looks whether a host is back that was gone after it took it, before it sends it again", async () => {
  const methods: string[] = [];
  const server = createServer((request, response) => {
    methods.push(request.method ?? "");
    request.resume();
    if (methods.length > 1) return void request.once("end", () => response.end());
    request.once("data", () => {
      server.close();
      server.closeAllConnections();
    });
  });
  const origin = await listen(server);
  const requester: Requester = {
    scope: "test",
    requestUpload: async () => ({ asset: { id: "asset-1" }, url: `${origin}/a`, mismatches: [] }),
  };
  let waits = 0;
  const onProgress = ({ waiting }: Progress) => {
    if (waiting?.reason === "connection" && ++waits === 2)
      server.listen(Number(new URL(origin).port), "127.0.0.1");
  };
  await upload(requester, videoFile(MiB), { ...DIRECT, onProgress });
  expect(methods).toEqual(["PUT", "HEAD", "PUT"]);
});
