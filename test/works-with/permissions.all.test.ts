/** The flags that each ability needs where the runtime refuses all else: it works with them, and fails without any of them. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../core/file.ts";
import { createClient, upload } from "../../core/mod.ts";
import {
  type Ability,
  DENO_ABILITIES,
  denoRunner,
  NODE_ABILITIES,
  type Places,
  type Runner,
  useAbility,
} from "../runtimes/permissions.ts";
import { useService } from "../service/use-service.ts";
import { MiB, writeContent } from "../support/content.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { expectFindings, type Finding } from "./findings.ts";
import { bundleForNode, nodeVersions, versionOf } from "./server-runtimes.ts";

const service = useService({ assetCall: true });
const hls = useHls();
const video = useOpened(() => serveVideo(MiB));
const folder = useFolder("permissions-and-journal");
const programs = useFolder("programs");
const nodes = nodeVersions();
const findings: Finding[] = [];
const SIZE = 9 * MiB;

let bundles = { ability: "", cli: "" };
beforeAll(async () => {
  bundles = await bundleForNode(programs.path);
});

/** A file of which the journal remembers an unfinished upload, a stored account, and an asset. */
async function prepare(program: string): Promise<Places> {
  const inside = (name: string) => join(folder.path, name);
  await rm(folder.path, { recursive: true, force: true });
  await mkdir(inside("config/upcut"), { recursive: true });
  await writeContent(inside("video.mp4"), SIZE);
  await writeFile(inside("token"), service.token);
  const account = JSON.stringify({ url: service.baseUrl, token: service.token });
  await writeFile(inside("config/upcut/account.json"), account, { mode: 0o600 });
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  const options = { journal: fileJournal(inside("journal")), retry: { attempts: 0 } };
  await expect(upload(client, await openFile(inside("video.mp4")), options)).rejects.toMatchObject({
    code: "interrupted",
  });
  const [{ asset } = { asset: { id: "" } }] = await service.assets();
  return {
    ADDRESS: service.baseUrl,
    ASSET: asset.id,
    CONFIG: inside("config"),
    FILE: inside("video.mp4"),
    HOSTS: [service.baseUrl, service.uploadUrl].map((url) => new URL(url).host).join(),
    JOURNAL: inside("journal"),
    PROGRAM: program,
    PLAYLIST: `${hls.origin}/separate/main.m3u8`,
    TOKEN: service.token,
    "TOKEN-FILE": inside("token"),
    VIDEO: video.url,
    "VIDEO-HOST": `${new URL(video.url).host},${new URL(hls.origin).host}`,
  };
}

/** The flags without one place of one of them. */
function lesser(flags: readonly string[]): string[][] {
  return flags.flatMap((flag, index) => {
    const [name, list = ""] = flag.split("=", 2);
    const allowed = list.split(",");
    return allowed.map((place) => {
      const left = allowed.filter((each) => each !== place);
      return flags
        .map((each, at) => (at === index ? `${name}=${left}` : each))
        .filter((each) => !each.endsWith("="));
    });
  });
}

async function prove(name: string, runner: Runner, ability: Ability): Promise<void> {
  const program = ability.words === undefined ? runner.ability : runner.cli;
  const attempt = async (flags: readonly string[]) =>
    await useAbility(runner, ability, flags, await prepare(program));
  expect(await attempt(ability.flags)).toMatchObject({ code: 0 });
  const fewer = lesser(ability.flags);
  for (const flags of fewer) expect(await attempt(flags), flags.join(" ")).not.toMatchObject({ code: 0 });
  const because = ability.flags.join(" ") || "no flag";
  findings.push({ name: `${name}, ${ability.name}`, tried: 1 + fewer.length, verdict: "right", because });
}

test.each(DENO_ABILITIES)(
  "$name works in Deno with its flags, and with none of them less",
  async (ability) => {
    await prove(`Deno ${versionOf("deno")}`, denoRunner(), ability);
  },
);

describe.each(nodes)("Node $version", ({ version, program, flag, readsFreely }) => {
  test.each(NODE_ABILITIES)("$name works with its flags, and with none of them less", async (ability) => {
    const flags = ability.flags.filter((each) => readsFreely !== each);
    await prove(`Node ${version}`, { command: [program, flag], ...bundles }, { ...ability, flags });
  });
});

test("the table of permissions is what was found", async () => {
  await expectFindings("permissions", findings);
});
