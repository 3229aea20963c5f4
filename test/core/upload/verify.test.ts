/** `verify`: uploads are compared with what the service says that it has stored. */
import { writeFile } from "node:fs/promises";
import { createSHA256, createSHA512 } from "hash-wasm";
import { describe, expect, test } from "vitest";
import type { ClientOptions } from "../../../core/client.ts";
import { openFile } from "../../../core/file.ts";
import {
  createClient,
  memoryJournal,
  type Requester,
  type UploadOptions,
  upload,
} from "../../../core/mod.ts";
import type { AnswerRule } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB } from "../../support/content.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService({ assetCall: true });
const folder = useFolder("verify");
const SIZE = 300_017;
const client = (options: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl: service.baseUrl,
    token: service.token,
    paths: { asset: "/api/asset/{id}" },
    ...options,
  });
const video = (seed = 1, size = SIZE) =>
  new File([content(size, seed)], `${seed}.mp4`, { type: "video/mp4", lastModified: 1 });
const OPTIONS: UploadOptions = { verify: true };

/** Answers with these fields in place of the asset's own record; its id is found out when it is asked for. */
async function tellsAlways(fields: object): Promise<void> {
  await service.set({ answerShape: { set: { "asset.id": "a" } } });
  const rule = {
    host: "api",
    method: "GET",
    path: "/api/asset/",
    status: 200,
    contentType: "application/json",
  };
  await service.set({
    answerStatus: [{ ...rule, body: JSON.stringify({ id: "a", ...fields }) } as AnswerRule],
  });
}
const ready = { status: { phase: "ready" } };

describe("upload() with verify", () => {
  test.each([
    ["bytes", async () => content(SIZE, 2)],
    ["a Response", async () => new Response(content(SIZE, 2))],
    ["a stream", async () => new Blob([content(9 * MiB, 3)]).stream()],
    [
      "a file on disk",
      async () => {
        await writeFile(`${folder.path}/a.mp4`, content(SIZE, 4));
        return await openFile(`${folder.path}/a.mp4`);
      },
    ],
  ])("compares %s with the hash of what is stored", async (_, source) => {
    const type = "video/mp4";
    expect(await upload(client(), await source(), { ...OPTIONS, type })).toMatchObject({
      verified: "sha256",
    });
  });

  test("sends also what is small resumably: one killed at its end by a direct PUT could not be told", async () => {
    await upload(client(), video(), OPTIONS);
    expect(await service.requests("PUT")).toEqual([]);
    expect((await service.requests("PATCH")).length).toBeGreaterThan(0);
  });

  test("tells both digests where other content is stored, and starts over as a new asset", async () => {
    await tellsAlways({ ...ready, size: SIZE, hash: [{ algorithm: "SHA-256", hash: "AB".repeat(32) }] });
    const error = await caught(upload(client(), video(), OPTIONS));
    expect(error).toMatchObject({ code: "content-differs", resume: { possible: false } });
    expect(error.message).toContain("AB".repeat(32));
    expect(error.message).toContain(contentHash(SIZE, 1));
  });

  test.each([
    ["loses it", {}],
    ["names its size alone", { size: SIZE }],
    ["names a hash that nobody knows", { size: SIZE, hash: [{ algorithm: "blorp", hash: "1" }] }],
  ])("tells that the asset failed, and why, where the service %s, and starts over", async (_, fields) => {
    const reason = `Error: source 404 for ${service.token}`;
    const options = { ...OPTIONS, journal: memoryJournal(), once: true };
    await tellsAlways({ ...fields, status: { phase: "failed", errorMessage: "Error: source 404" } });
    const error = await caught(upload(client(), video(), options));
    expect(error).toMatchObject({ code: "asset-failed", resume: { possible: false } });
    expect(error.message).toContain("could not process asset a: Error: source 404. Upload it again");
    await tellsAlways({ ...fields, status: { phase: "failed", errorMessage: reason } });
    expect((await caught(upload(client(), video(), options))).message).not.toContain(service.token);
    expect(await service.requests("POST", "request-upload")).toHaveLength(2);
  });

  test("is not verified, and says why, where the source is another one by then", async () => {
    const path = `${folder.path}/changed.mp4`;
    await writeFile(path, content(SIZE, 5));
    const { getAsset, ...rest } = client();
    const changing: Requester = {
      ...rest,
      async getAsset(...given) {
        await writeFile(path, content(SIZE, 6));
        return await getAsset(...given);
      },
    };
    expect(await upload(changing, await openFile(path), OPTIONS)).toMatchObject({
      verified: false,
      notVerified: expect.stringContaining("the file changed"),
    });
    expect(await service.assets()).toHaveLength(1);
  });

  test.each(["auto", "direct"] as const)(
    "compares the same asset when it was stopped before that, and called again (%s)",
    async (method) => {
      const journal = memoryJournal();
      const stop = new AbortController();
      const { getAsset, ...rest } = client();
      const stopping: Requester = {
        ...rest,
        async getAsset(...given) {
          stop.abort();
          return await getAsset(...given);
        },
      };
      const options = { ...OPTIONS, method, journal };
      await caught(upload(stopping, video(), { ...options, signal: stop.signal }));
      expect(await upload(client(), video(), options)).toMatchObject({ resumed: true, verified: "sha256" });
      expect(await service.assets()).toHaveLength(1);
    },
  );

  test("with once compares what was there already, and starts over where it differs", async () => {
    const options = { ...OPTIONS, journal: memoryJournal(), once: true };
    const first = await upload(client(), video(), { ...options, verify: false });
    const again = await upload(client(), video(), options);
    expect(again).toMatchObject({ asset: first.asset, uploadedBefore: true, verified: "sha256" });
    const { id } = first.asset;
    const body = JSON.stringify({ id, ...ready, size: SIZE, hash: [{ algorithm: "sha256", hash: "00" }] });
    const rule = { host: "api", method: "GET", path: id, status: 200, contentType: "application/json", body };
    await service.set({ answerStatus: [rule as AnswerRule] });
    const error = await caught(upload(client(), video(), options));
    expect(error).toMatchObject({ code: "content-differs" });
    expect(error.message).toContain(id);
    const other = await upload(client(), video(), options);
    expect(other).toMatchObject({ uploadedBefore: false, verified: "sha256" });
    expect(other.asset.id).not.toBe(id);
  });

  test("is not verified, and says why, where the service names no size", async () => {
    await tellsAlways(ready);
    expect(await upload(client(), video(), OPTIONS)).toMatchObject({
      verified: false,
      notVerified: "the service names no size",
    });
  });

  test("is not verified, and no failure, where the service doesn't tell in time or refuses to", async () => {
    await tellsAlways({ status: { phase: "processing" } });
    const soon = { verify: true, timeout: { verify: 1_500 } };
    const late = await upload(client(), video(), soon);
    expect(late).toMatchObject({ verified: false, notVerified: "the service didn't tell in time" });
    const rule = { host: "api", method: "GET", path: "/api/asset/", status: 401 } as const;
    await service.set({ answerStatus: [rule] });
    const refused = await upload(client(), video(), OPTIONS);
    expect(refused).toMatchObject({ verified: false, notVerified: expect.stringContaining("401") });
  });

  test("is refused before anything is sent where assets can't be read", async () => {
    const error = await caught(upload(client({ paths: {} }), video(), OPTIONS));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain("Give the client paths.asset");
    expect(await service.requests()).toEqual([]);
  });

  test("compares nothing unless it is asked to", async () => {
    expect((await upload(client(), video())).verified).toBeUndefined();
  });
});

describe("upload() with a sha-256 of the caller's own, as a page needs it", () => {
  test.each([
    ["a file", async () => video()],
    ["a stream", async () => new Blob([content(9 * MiB, 3)]).stream()],
  ])("compares %s by it", async (_, source) => {
    let opened = 0;
    const verify = async () => {
      opened++;
      return await createSHA256();
    };
    const result = await upload(client(), await source(), { verify, type: "video/mp4" });
    expect(result).toMatchObject({ verified: "sha256" });
    expect(opened).toBeGreaterThan(0);
  });

  const opens = async (digest: () => unknown) => ({ update() {}, digest }) as never;
  test.each([
    ["makes another digest", async () => await createSHA512()],
    ["gives bytes", async () => await opens(() => new Uint8Array(32))],
    ["gives nothing", async () => undefined as never],
    [
      "throws",
      () => {
        throw new Error("no WebAssembly");
      },
    ],
    ["rejects", async () => await Promise.reject(new Error("no WebAssembly"))],
  ])("sends nothing where the function %s", async (_, verify) => {
    const error = await caught(upload(client(), video(), { verify }));
    expect(error).toMatchObject({ name: "InputError", code: "invalid-option" });
    expect(error.message).toMatch(/^Cannot upload: the function verify makes no sha-256 here\. /);
    expect(await service.requests()).toEqual([]);
  });
});
