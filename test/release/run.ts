/**
 * `npm run release`: reads the commits since the last release, writes the version they make and its section of
 * CHANGELOG.md, and commits and tags them. A version that has its section, and no tag yet, is tagged as it is. Pushing the
 * tag publishes: .github/workflows/release.yml.
 *
 * With `-- --dry-run` it does all this in a copy, and there also what the workflow does, as far as it changes nothing: it
 * makes the packages and the zip, and lets npm and JSR check what they would get. `-- --notes` prints what the changelog
 * says of the present version.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ROOT, run, succeed } from "../packaging/run.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { nextVersion, notesOf, readChange, sectionOf, withSection } from "./changes.ts";

const NODE_MODULES = ["node_modules", "test/runtimes/node_modules"];

const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, notes: { type: "boolean", default: false } },
});
try {
  if (values.notes) await printNotes();
  else if (values["dry-run"]) await tryRelease();
  else await release();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function printNotes(): Promise<void> {
  const version = await versionIn(ROOT);
  const notes = notesOf(await readFile(join(ROOT, "CHANGELOG.md"), "utf8"), version);
  if (notes === undefined) throw new Error(`Cannot print notes: CHANGELOG.md has no section ${version}`);
  console.log(notes);
}

async function release(): Promise<void> {
  const changed = await succeed("git", ["status", "--porcelain"], ROOT);
  if (changed !== "") throw new Error(`Cannot release: these files are not committed\n${changed}`);
  await succeed("npm", ["run", "--silent", "check"], ROOT);
  const version = await raiseVersion(ROOT);
  if (version === undefined) return;
  if ((await succeed("git", ["status", "--porcelain"], ROOT)) !== "")
    await succeed("git", ["commit", "--all", "--message", `chore: release version ${version}`], ROOT);
  await succeed("git", ["tag", "--annotate", `v${version}`, "--message", `Version ${version}`], ROOT);
  console.log(`\nCommitted and tagged v${version}. To publish it: git push --follow-tags`);
}

async function tryRelease(): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), "upcut-release-"));
  try {
    const changed = await succeed("git", ["status", "--porcelain"], ROOT);
    if (changed !== "") console.log("What isn't committed takes no part in it");
    await succeed("git", ["clone", "--quiet", ROOT, copy], ROOT);
    for (const folder of NODE_MODULES) {
      await mkdir(join(copy, folder, ".."), { recursive: true });
      await symlink(join(ROOT, folder), join(copy, folder), "junction");
    }
    const version = (await raiseVersion(copy)) ?? (await versionIn(copy));
    await publishDry(copy);
    console.log(`\nDry run of ${version} complete: nothing here was changed, nothing was published`);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Writes the next version everywhere and its changes into the changelog; `undefined` where there is none. */
async function raiseVersion(folder: string): Promise<string | undefined> {
  const current = await versionIn(folder);
  const described = await run("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"], folder);
  const last = described.code === 0 ? described.stdout.trim() : undefined;
  const isTagged = last === `v${current}`;
  // A section that somebody wrote says more than subjects of commits.
  if (!isTagged && notesOf(await readFile(join(folder, "CHANGELOG.md"), "utf8"), current) !== undefined)
    return current;
  const changes = last === undefined ? "first" : await changesSince(last, folder);
  const version = changes === "first" ? current : nextVersion(current, changes);
  if (version === undefined) {
    console.log(`Nothing to release: no commit since ${last} is a feature, a fix or faster`);
    return undefined;
  }
  const section = sectionOf(version, new Date().toISOString().slice(0, 10), changes);
  console.log(section);
  const setVersion = ["version", version, "--no-git-tag-version", "--allow-same-version", "--ignore-scripts"];
  await succeed("npm", setVersion, folder);
  await edit(join(folder, "core/deno.json"), (text) =>
    text.replace(`"version": "${current}"`, `"version": "${version}"`),
  );
  await edit(join(folder, "core/cli/version.ts"), (text) => text.replace(`"${current}"`, `"${version}"`));
  await edit(join(folder, "CHANGELOG.md"), (text) => withSection(text, section));
  // The README names the version.
  await succeed("npm", ["run", "--silent", "tables"], folder);
  return version;
}

async function changesSince(tag: string, folder: string) {
  const log = await succeed("git", ["log", "--no-merges", "--format=%B%x00", `${tag}..HEAD`], folder);
  return log.split("\0").flatMap((message) => readChange(message.trim()) ?? []);
}

/** What the workflow does with a tag, up to where something would be published. */
async function publishDry(folder: string): Promise<void> {
  const steps: [name: string, program: string, args: string[], below?: string][] = [
    ["make the package", "npm", ["run", "--silent", "package"]],
    ["npm publish", "npm", ["publish", "--dry-run", "--access", "public", ".output/npm"]],
    ["deno publish", findRuntime("deno"), ["publish", "--dry-run", "--allow-dirty"], "core"],
    ["make the zip", "npm", ["run", "--silent", "zip"]],
    ["read the notes", "npm", ["run", "--silent", "release", "--", "--notes"]],
  ];
  for (const [name, program, args, below = "."] of steps) {
    await succeed(program, args, join(folder, below));
    console.log(`✓ ${name}`);
  }
  const zips = (await readdir(join(folder, ".output"))).filter((each) => each.endsWith(".zip"));
  console.log(`  ${zips.join(", ")}`);
}

async function versionIn(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
  return version;
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}
