import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { choose, rowOf, setUp } from "./person.ts";

const MiB = 1024 * 1024;
let service: SpawnedService;
let extension: Extension;

beforeAll(async () => {
  service = await spawnService({ refuseOrigin: true });
  extension = await loadExtension();
  await setUp(extension, service);
});
afterEach(async () => {
  for (const page of extension.context.pages().slice(1)) await page.close();
  await service.reset();
});
afterAll(async () => {
  await extension.close();
  await service.stop();
});

describe("the popup", () => {
  test("uploads a chosen file with the draft's name", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "holiday.mp4", bytes: content(3 * MiB) });
    const row = rowOf(popup, "holiday.mp4");
    await row.getByLabel("Name").fill("Our holiday");
    await row.getByRole("button", { name: "Start" }).click();
    const done = rowOf(popup, "Our holiday");
    await done.getByText("Done").waitFor();
    const [stored] = await service.assets();
    expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(sha256(content(3 * MiB)));
    expect(stored?.received).toEqual({ name: "Our holiday" });
    expect(await service.requests("POST", "request-upload")).toMatchObject([{ origin: null, status: 200 }]);
  });
});
