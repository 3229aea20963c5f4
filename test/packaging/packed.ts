/** The module as npm gets it: packed, and installed in an empty project. */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { makePackage } from "../release/package.ts";
import { useFolder } from "../support/use-folder.ts";
import { ROOT, succeed } from "./run.ts";

/** Where the tests say that it is published from. */
const HOME = { server: "https://github.com", repository: "owner/name" };

export interface Packed {
  /** Holds all the others. */
  scratch: string;
  folder: string;
  archive: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
  /** Of somebody who installed it, with a script that uses it. */
  project: string;
}

/** Packs and installs it before the tests of a file. */
export function usePacked(): Packed {
  const packed = {} as Packed;
  const scratch = useFolder("packaging");
  beforeAll(async () => {
    const [folder, project] = [join(scratch.path, "package"), join(scratch.path, "project")];
    await makePackage(folder, HOME);
    const options = ["--json", "--pack-destination", scratch.path];
    const [told] = JSON.parse(await succeed("npm", ["pack", ...options], folder));
    const archive = join(scratch.path, told.filename);
    Object.assign(packed, { ...told, scratch: scratch.path, folder, project, archive });
    await mkdir(project);
    await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
    await succeed("npm", ["install", ...quiet, packed.archive], project);
    await cp(join(import.meta.dirname, "consumer.mjs"), join(project, "consumer.mjs"));
  }, 180_000);
  return packed;
}

/** Each expected error shows that a type is more than `any`. */
const CONSUMER = `
import { type Asset, openUrl, type Progress, upload, uploadAll } from "@upcut/core";
import { createClient } from "@upcut/core/client";
import { fileJournal, openFile } from "@upcut/core/file";
import { indexedDbJournal } from "@upcut/core/indexed-db";

const client = createClient({ baseUrl: "https://video.example", token: () => "<API_KEY>" });

export async function send(path: string): Promise<Asset> {
  const { asset } = await upload(client, await openFile(path), {
    journal: fileJournal(".uploads"),
    onProgress({ state, fraction }: Progress) {
      // @ts-expect-error: there is no such state
      if (state === "nowhere") console.log(fraction);
    },
  });
  for await (const { source, result, error } of uploadAll(client, [{ source: () => openFile(path), data: 5 }])) {
    source.data.toFixed();
    if (error === undefined) console.log(result.asset.id);
    // @ts-expect-error: where it failed there is no result
    else console.log(result.asset.id);
  }
  console.log((await indexedDbJournal().list()).map(({ acknowledged }) => acknowledged));
  await upload(client, openUrl(new URL("https://video.example/a.mp4"), { headers: { "x-key": "<KEY>" } }));
  // @ts-expect-error: a file is opened before it is uploaded
  await upload(client, path);
  // @ts-expect-error: a stream has an id
  await client.terminateStream();
  return asset;
}
`;

/** The oldest TypeScript that the README promises, pinned with the runtimes. */
export const LEAST_TYPESCRIPT: string = join(ROOT, "test/runtimes/node_modules/typescript-least");

export interface Compilation {
  /** @default that of the project */
  typescript?: string;
  resolution: "bundler" | "nodenext";
  /** What the compiler is told of the runtime. */
  environment: string[];
  consumer?: string;
}

/** Compiles a script that uses the package; fails with what the compiler finds. */
export async function compile(project: string, how: Compilation): Promise<void> {
  const { typescript, resolution, environment, consumer = CONSUMER } = how;
  await writeFile(join(project, "consumer.ts"), consumer);
  // Libraries are checked as well: no declaration of ours may hide behind skipLibCheck.
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2023"];
  const module = [
    "--moduleResolution",
    resolution,
    "--module",
    resolution === "bundler" ? "esnext" : resolution,
  ];
  const compiler = join(typescript ?? join(ROOT, "node_modules/typescript"), "bin/tsc");
  const present = typescript === undefined ? ["--ignoreConfig"] : [];
  await succeed("node", [compiler, ...present, ...strict, ...module, ...environment, "consumer.ts"], project);
}

export const PAGE: readonly string[] = ["--lib", "esnext,dom"];
