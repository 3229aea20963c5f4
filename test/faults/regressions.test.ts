/** What the faults have found, each as small as it can be. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createClient, upload } from "../../core/mod.ts";
import { content, contentStream, sha256 } from "../content.ts";
import { type Lab, MiB, openLab } from "./lab.ts";
import { faulty } from "./proxy.ts";

const QUICK = { retry: { minDelay: 10, maxDelay: 50 }, filename: "film.mp4" };
let lab: Lab;

beforeAll(async () => {
  lab = await openLab({ parts: true });
});
afterEach(() => lab.reset());
afterAll(() => lab.close());

const client = () => createClient({ baseUrl: lab.api.url, token: lab.service.token });
const expectWhole = async (id: string, size: number) => {
  expect((await lab.service.whole(id)).sha256).toBe(sha256(content(size)));
  expect(await lab.service.assets()).toHaveLength(1);
};

test("a stream of unknown length announces its length once, also when its last part is cut", async () => {
  const size = 12 * MiB;
  lab.upload.choose = faulty("PATCH", { kind: "reset", after: 2 * MiB }, { skip: 1, times: 2 });
  const { asset } = await upload(client(), contentStream(size), QUICK);
  await expectWhole(asset.id, size);
});
