/**
 * `npm run site [-- folder]`: makes the site of static pages into `.output/site`: a first page with the extension's
 * pictures, the documents, and the reference of core's API, of its doc comments.
 */
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import deno from "../../../core/deno.json" with { type: "json" };
import { ROOT } from "../../packaging/run.ts";
import { buildPages } from "../../support/extension/pages/build.ts";
import { startPageServer } from "../../support/extension/pages/page-server.ts";
import { homeOf } from "../package.ts";
import { type Shot, takeShots } from "../pictures/run.ts";
import { sayOf, textsOf } from "../pictures/texts.ts";
import { type DocumentPage, pathOf, readDocuments } from "./documents.ts";
import { framed, type Site } from "./frame.ts";
import { FILM, landingPage } from "./landing.ts";
import { type CheckedLinks, checkFolder } from "./links.ts";
import { makeReference } from "./reference.ts";

const ICON = "public/icon/upcut.svg";
/** The style of the extension's pages, and what the site adds. */
const STYLES = ["entrypoints/shared/base.css", "test/release/site/site.css"];
const HEAD_STYLE = "test/release/site/head.css";
/** Where the documents begin: the index of all, and what every page links. */
const FIRST = ["docs/README.md", "README.md", "CHANGELOG.md", "PRIVACY.md", "SECURITY.md", "LICENSE"];

/** Makes the site, and tells what its links lead to. */
export async function makeSite(folder: string): Promise<CheckedLinks> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const read = (path: string) => readFile(join(ROOT, path), "utf8");

  const { pages, pictures } = await readDocuments(FIRST);
  const home = homeOf(process.env);
  const site: Site = {
    icon: await read(ICON),
    version: deno.version,
    sources: home && `${home.server}/${home.repository}`,
    contents: contentsOf(pages),
  };
  for (const page of pages) await write(page.path, framed(site, { ...page, hasContents: true }));
  for (const picture of new Set([...pictures, FILM])) {
    const copy = join(folder, pathOf(picture));
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(ROOT, picture), copy);
  }
  await write("icon.svg", site.icon);
  await write("site.css", (await Promise.all(STYLES.map(read))).join("\n"));
  await write("head.css", await read(HEAD_STYLE));

  const shots = await takeAll(folder);
  const body = await landingPage(shots, sayOf(await textsOf("en")));
  await write("index.html", framed(site, { path: "index.html", title: "Upcut", body, hasContents: false }));
  await makeReference(folder, site);
  return await checkFolder(folder);
}

/** The index of the documents, and those that it names, in its order. */
function contentsOf(pages: readonly DocumentPage[]): DocumentPage[] {
  const [index] = pages;
  const named = [index?.source, ...(index?.links ?? [])].filter((source) => source?.endsWith(".md"));
  return [...new Set(named)].flatMap((named) => pages.find(({ source }) => source === named) ?? []);
}

async function takeAll(folder: string): Promise<Shot[]> {
  const built = await buildPages();
  const server = await startPageServer(built.path);
  try {
    return await takeShots(server, folder, "en");
  } finally {
    await server.close();
    await built.remove();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = join(ROOT, ".output/site")] = process.argv;
  const { pages, links, leaving, wrong } = await makeSite(folder);
  for (const each of wrong) console.error(each);
  console.log(`Made ${pages} pages in ${folder}: ${links} links inside, ${leaving} to elsewhere`);
  if (wrong.length > 0) {
    console.error(`${wrong.length} links are wrong`);
    process.exitCode = 1;
  }
}
