/** The commands that read assets back. */
import { describe, expect, test } from "vitest";
import { createClient, upload } from "../../core/mod.ts";
import { writeContent } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { useFolder } from "../use-folder.ts";
import { startCliHere } from "./run-here.ts";

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
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
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
    expect(stderr).toMatch(/Not ready .*c\.mp4: asset .* is failed: No video in it/);
    expect(code).toBe(1);
  });

  test("uploads nothing without the service's path", async () => {
    const { code } = await cli(["upload", "--wait", `${folder.path}/a.mp4`], { UPCUT_ASSET_PATH: "" });
    expect(code).toBe(2);
    expect(await service.requests()).toEqual([]);
  });
});
