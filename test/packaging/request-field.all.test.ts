/** The model that CONTRIBUTING has for a field of the request: one is added to a copy of the sources, and a video is uploaded with it. */
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { writeContent } from "../support/content.ts";
import { LANGUAGES } from "../support/extension/catalogue.ts";
import { scratchFolder } from "../support/scratch.ts";
import { ROOT, succeed } from "./run.ts";

const service = useService();

const FIELDS = "core/service/request-fields.ts";

/** The lines that a file gets, after one that it has. A real field has its words in each language. */
const ADDED: [path: string, after: string, lines: string][] = [
  [
    FIELDS,
    "export interface RequestFields {\n",
    "  /** True to have the video signed. */\n  c2pa?: boolean | undefined;\n",
  ],
  [
    FIELDS,
    "-?: RequestField<RequestFields[Name]>;\n} = {\n",
    'c2pa: { schema: v.boolean(), control: "switch", flag: { name: "c2pa", help: "sign the video" } },\n',
  ],
  ...LANGUAGES.flatMap((language): typeof ADDED => {
    const path = `entrypoints/locales/${language}.yml`;
    return [
      [path, "\ndraft:\n", "  c2pa: Sign the video\n"],
      [path, "\noptions:\n", "  c2pa: Sign each video\n  c2paHint: The service signs it by C2PA.\n"],
    ];
  }),
];

const COPIED = [
  ".github",
  "core",
  "docs",
  "entrypoints",
  "public",
  "test",
  "package.json",
  "tsconfig.json",
  "wxt.config.ts",
];

test("a field of the request needs its row, its type and its words", async () => {
  const copy = await scratchFolder("journal-field");
  const at = (name: string) => join(copy.path, name);
  const filter = (path: string) => !/(^|[\\/])node_modules$/.test(relative(ROOT, path));
  for (const name of COPIED) await cp(join(ROOT, name), at(name), { recursive: true, filter });
  await symlink(join(ROOT, "node_modules"), at("node_modules"), "junction");
  for (const [path, after, lines] of ADDED) {
    const text = await readFile(at(path), "utf8");
    expect(text).toContain(after);
    await writeFile(
      at(path),
      text.replace(after, () => after + lines),
    );
  }
  const sources = { extends: "./tsconfig.json", include: ["core", "entrypoints", "*.ts"] };
  await writeFile(at("sources.json"), JSON.stringify(sources));
  await writeContent(at("video.mp4"), 5_000, 1);
  const node = (...args: string[]) =>
    succeed("node", args, copy.path, {
      UPCUT_URL: service.baseUrl,
      UPCUT_TOKEN: service.token,
      UPCUT_JOURNAL: at("journal"),
    });
  await node("--import", "tsx", "test/packaging/tables.ts");
  await node("node_modules/wxt/bin/wxt.mjs", "prepare", "--level", "warn");
  await node("node_modules/typescript/bin/tsc", "-p", "core/tsconfig.json");
  await node("node_modules/typescript/bin/tsc", "-p", "sources.json");
  await node("--import", "tsx", "core/cli/main.ts", "upload", "video.mp4", "--c2pa");
  expect(await readFile(at("docs/configuration.md"), "utf8")).toContain(
    "| `c2pa` | `--c2pa` | *Sign each video* |",
  );
  expect(await service.assets()).toEqual([
    expect.objectContaining({ received: expect.objectContaining({ c2pa: true }) }),
  ]);
  await copy.remove();
});
