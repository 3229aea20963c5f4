import { expect, test } from "vitest";
import { readAsset } from "../../../entrypoints/background/assets.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { useService } from "../../service/use-service.ts";
import { stubAccount } from "../../support/extension/stub-account.ts";

const service = useService();
const id = "asset-1";

test.each([
  [{ size: 5 }, { size: 5, hash: [] }],
  [{ hash: [{ hash: "ab", algorithm: "md5" }] }, {}],
  [
    {
      size: 5,
      hash: [{ hash: "ab", algorithm: "md5" }, null, { hash: "x".repeat(3000), algorithm: "sha256" }],
    },
    { size: 5, hash: [{ hash: "ab", algorithm: "md5" }] },
  ],
  [
    { downloadUrl: "https://play.example/1.mp4", playbackUrl: "x".repeat(3000), playbackId: 7 },
    { downloadUrl: "https://play.example/1.mp4" },
  ],
])("readAsset() keeps of %j what is of use", async (record, kept) => {
  const paths = { ...DEFAULT_SETTINGS.paths, asset: "/api/asset/{id}" };
  stubAccount({ settings: { ...DEFAULT_SETTINGS, address: service.baseUrl, paths }, token: service.token });
  const body = JSON.stringify({ id, name: "video", status: { phase: "ready", other: 1 }, ...record });
  const contentType = "application/json";
  await service.set({ answerStatus: [{ host: "api", method: "GET", status: 200, contentType, body }] });
  expect(await readAsset({ address: service.baseUrl, id })).toEqual({
    asset: { id, status: { phase: "ready" }, ...kept },
  });
  expect(await readAsset({ address: "https://other.example", id })).toBeNull();
});
