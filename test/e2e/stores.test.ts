/** The extension with the stores that real services run: what it says is whole is whole there too. */
import { describe, expect, test } from "vitest";
import { PART_SIZE } from "../../core/source/parts.ts";
import { content } from "../content.ts";
import { useLab } from "../faults/lab.ts";
import { breaking } from "../faults/stores.ts";
import { seeded } from "../seeded.ts";
import { REAL_STORES } from "../service/stores.ts";
import { choose, rowOf } from "./actions.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const SIZE = 20 * MiB + 5;

describe.each(REAL_STORES)("with the store %s", (store) => {
  const lab = useLab({ storeLatency: [5, 45] }, { store });
  const extension = useExtension(lab);

  test("a video arrives whole although the line breaks, also behind its last byte", async () => {
    const seed = Number(process.env.UPCUT_SEED ?? Date.now() % 1_000_000);
    await lab.service.set({ storeSeed: seed });
    // A browser that is sending notices a close in good order only after the half minute of a stall.
    const breaks = breaking(lab.upload, seeded(seed), ["reset"]);
    let cut = false;
    lab.upload.choose = (request) => {
      if (cut || request.method !== "PATCH" || request.length !== SIZE % PART_SIZE) return breaks(request);
      cut = true;
      return { kind: "cut-at-end" };
    };
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    const row = rowOf(popup, "video.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(lab.service, SIZE);
    expect(lab.upload.faults, `seed ${seed}`).toBeGreaterThan(0);
  });

  test("a small file goes directly", async () => {
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "small.mp4", bytes: content(MiB - 1) });
    await rowOf(popup, "small.mp4").getByRole("button", { name: "Start" }).click();
    await rowOf(popup, "small.mp4").getByText("Uploaded").waitFor();
    await expectWhole(lab.service, MiB - 1);
    const sent = (await lab.service.requests()).filter(
      ({ host, method }) => host === "upload" && method !== "OPTIONS",
    );
    expect(sent).toMatchObject([{ method: "PUT", status: 200 }]);
  });

  test("the row reports that the store is away, and the upload resumes by itself when it is back", async () => {
    await lab.service.set({ throttle: 2 * MiB });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    const row = rowOf(popup, "video.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(lab.service, MiB);
    await lab.service.set({ storeAway: 3000, throttle: 0 });
    await row.getByText(/^The service can't (take the upload now|find the upload right now)\./).waitFor();
    await row.getByText("Uploaded").waitFor();
    await expectWhole(lab.service, SIZE);
  });
});
