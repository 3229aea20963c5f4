/** The commands that read assets back. */
import { describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import { upload } from "../../../core/mod.ts";
import type { AnswerRule } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService({ assetCall: true });
const folder = useFolder("cli-status");

const cli = async (args: string[], more: Record<string, string> = {}, input?: string) => {
  const environment = {
    ...{ UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token, UPCUT_JOURNAL: `${folder.path}/journal` },
    ...{ UPCUT_ASSET_PATH: "/api/asset/{id}" },
    ...more,
  };
  return await startCliHere(args, environment, input).ended();
};

async function uploaded(name: string): Promise<string> {
  const client = service.client();
  const { asset } = await upload(client, new File([name], `${name}.mp4`, { type: "video/mp4" }));
  await service.whole(asset.id);
  return asset.id;
}

describe("upcut status", () => {
  test("shows the phase of each asset, and ends with 1 where one has failed or isn't known", async () => {
    const good = await uploaded("good");
    expect(await cli(["status", good])).toMatchObject({ code: 0, stdout: `${good}  ready\n` });
    await service.set({ processingFails: "No video in it" });
    const bad = await uploaded("bad");
    const { code, stdout, stderr } = await cli(["status", "-"], {}, `# mine\n${good}\n${bad}\nnobody\n`);
    expect(stdout).toBe(`${good}  ready\n${bad}  failed: No video in it\n`);
    expect(stderr).toContain("nobody  Cannot read the asset: the service answered 404: asset not found");
    expect(code).toBe(1);
  });

  test("prints JSON lines", async () => {
    const id = await uploaded("json");
    const { stdout } = await cli(["status", "--json", id, "nobody"]);
    const [first, second] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toEqual({ event: "status", assetId: id, phase: "ready" });
    expect(second).toMatchObject({ event: "failed", assetId: "nobody", error: { code: "asset-not-found" } });
  });

  test("without the service's path says what to set", async () => {
    const { code, stderr } = await cli(["status", "a"], { UPCUT_ASSET_PATH: "" });
    expect(code).toBe(2);
    expect(stderr).toContain("set UPCUT_ASSET_PATH, such as /api/asset/{id}");
    const wrong = await cli(["status", "a"], { UPCUT_ASSET_PATH: "asset" });
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('UPCUT_ASSET_PATH is wrong: it is "asset"');
  });
});

describe("upcut upload --wait", () => {
  test("ends when all videos are ready, also those that were there already", async () => {
    await writeContent(`${folder.path}/a.mp4`, 1000, 1);
    await cli(["upload", `${folder.path}/a.mp4`]);
    await writeContent(`${folder.path}/b.mp4`, 1000, 2);
    const { code, stderr } = await cli(["upload", "--wait", `${folder.path}/a.mp4`, `${folder.path}/b.mp4`]);
    for (const name of ["a.mp4", "b.mp4"]) expect(stderr).toMatch(new RegExp(`Ready .*${name}: asset`));
    expect(code).toBe(0);
  });

  test("ends with 1, and names those that failed and why", async () => {
    await service.set({ processingFails: "No video in it" });
    await writeContent(`${folder.path}/c.mp4`, 1000, 3);
    const { code, stderr } = await cli(["upload", "--wait", `${folder.path}/c.mp4`]);
    expect(stderr).toMatch(/Not ready .*c\.mp4: asset .* has failed: No video in it/);
    expect(code).toBe(1);
  });

  test.each(["--wait", "--verify"])("%s uploads nothing without the service's path", async (option) => {
    const args = ["upload", option, `${folder.path}/a.mp4`];
    const { code, stderr } = await cli(args, { UPCUT_ASSET_PATH: "" });
    expect(stderr).toContain(`${option} needs a call of the service that reads an asset`);
    expect(code).toBe(2);
    expect(await service.requests()).toEqual([]);
  });
});

/** Whoever reads an asset is answered this from now on. */
const reads = (status: number, answer: object) => {
  const rule = { host: "api", method: "GET", path: "/api/asset/", status, contentType: "application/json" };
  return service.set({ answerStatus: [{ ...rule, body: JSON.stringify(answer) } as AnswerRule] });
};

describe("upcut upload --verify", () => {
  test("says by what each video was compared, also those that were there already", async () => {
    const path = `${folder.path}/v.mp4`;
    await writeContent(path, 1000, 4);
    const first = await cli(["upload", "--verify", path]);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Uploaded .* s\), verified by sha256\n$/),
    });
    const again = await cli(["upload", "--verify", "--json", path]);
    expect(again.stdout).toContain('"verified":"sha256"');
  });

  test("ends with 1 where other content is stored, and names the asset", async () => {
    await service.set({ answerShape: { set: { "asset.id": "a" } } });
    await reads(200, { id: "a", size: 999, status: { phase: "ready" } });
    await writeContent(`${folder.path}/w.mp4`, 1000, 5);
    const { code, stderr } = await cli(["upload", "--verify", `${folder.path}/w.mp4`]);
    expect(stderr).toMatch(
      /w\.mp4: the service has stored other content in asset a: 999 bytes, while 1000 were/,
    );
    expect(code).toBe(1);
  });

  test("says why a video couldn't be compared, which is no failure", async () => {
    await reads(403, { errors: ["not yours"] });
    await writeContent(`${folder.path}/x.mp4`, 1000, 6);
    const { code, stdout } = await cli(["upload", "--verify", "--quiet", `${folder.path}/x.mp4`]);
    expect(stdout).toMatch(/, not verified: Cannot read the asset: .* 403/);
    expect(code).toBe(0);
  });
});

describe("upcut discard", () => {
  const begun = async (name: string) => {
    const path = `${folder.path}/${name}.mp4`;
    await writeContent(path, 2 * MiB, 7);
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
    const source = await openFile(path);
    const journal = fileJournal(`${folder.path}/journal`);
    const client = service.client();
    const options = { journal, once: true, retry: { attempts: 0 } };
    await caught(upload(client, source, options));
    await service.set({ resetAfter: [] });
    return { path, id: `${(await service.assets()).at(-1)?.asset.id}` };
  };

  test("tells the state of the asset that stays, and leaves one alone that the service works on", async () => {
    const { path, id } = await begun("d");
    const { stdout } = await cli(["discard", path]);
    expect(stdout).toContain(`Asset ${id} stays in the account: failed: The upload was ended`);
    const other = await begun("e");
    await reads(200, { id: other.id, status: { phase: "processing", progress: 0.5 } });
    expect((await cli(["discard", other.path])).stdout).toContain(
      `Asset ${other.id} stays in the account: processing 50 %`,
    );
    expect(await service.requests("DELETE")).toHaveLength(1);
  });

  test("says that the service doesn't know the asset", async () => {
    const { path, id } = await begun("f");
    await reads(404, { errors: ["asset not found"] });
    expect((await cli(["discard", path])).stdout).toContain(`The service doesn't know its asset ${id}`);
  });
});
