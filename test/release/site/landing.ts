/** The first page of the site: what Upcut is, its pictures, and the ways on. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Marked } from "marked";
import { ROOT } from "../../packaging/run.ts";
import type { Shot } from "../pictures/run.ts";
import type { Say } from "../pictures/texts.ts";
import { escapeHtml, pathOf, renderMarkdown } from "./documents.ts";

const PATH = "index.html";
/** Where the film of the main job is; the README shows it too. */
export const FILM = ".github/upcut.webp";

const SHOWS: Record<string, string> = {
  pageVideos: "The popup lists the videos of a page.",
  uploads: "Many uploads in a tab.",
  account: "The options, connected to a service.",
  stream: "A window asks before a live stream is ended.",
  resume: "The side panel, with an upload that was interrupted.",
};

/** The body of the first page, by the shots of the extension's pages and the words that the store gets of them. */
export async function landingPage(shots: readonly Shot[], say: Say): Promise<string> {
  const read = (path: string) => readFile(join(ROOT, path), "utf8");
  const [readme, ofModule, index] = await Promise.all([
    read("README.md"),
    read("core/README.md"),
    read("docs/README.md"),
  ]);
  const intro = await renderMarkdown(firstOf(readme, "paragraph"), "README.md", PATH);
  const script = await renderMarkdown(firstOf(ofModule, "code", "ts"), "core/README.md", PATH);
  const documents = await renderMarkdown(index.replace(/^# .*\n/, ""), "docs/README.md", PATH);
  const features = shots.map(
    (shot) => `<section class="feature">
<div><h2>${escapeHtml(say(`${shot.name}.title`))}</h2><p>${escapeHtml(say(`${shot.name}.line`))}</p></div>
${pictureOf(shot)}
</section>`,
  );
  const [first] = shots;
  return `<section class="opening">
<div>
<h1>${escapeHtml(say("tile.line"))}</h1>
${intro.body}
<p class="ways"><a class="main" href="docs/index.html">Documents</a><a href="api/index.html">Reference</a></p>
</div>
<picture class="film">
${first === undefined ? "" : stillOf(first)}
<img src="${pathOf(FILM)}" alt="A video is chosen in the popup, is uploaded, and its link is copied.">
</picture>
</section>
${features.join("\n")}
<section class="script">
<div><h2>In a script of your own</h2>
<p>The same uploads for browsers, extensions, Deno, Bun, Node and edge workers: one module, eight entries.</p>
<p><a href="api/index.html">All its names</a></p></div>
${script.body}
</section>
<section class="documents"><h2>Documents</h2>
${documents.body}
</section>`;
}

/** In place of the film, for whom moving pictures disturb. */
function stillOf({ light, dark }: Shot): string {
  const still = "(prefers-reduced-motion: reduce)";
  return `<source media="${still} and (prefers-color-scheme: dark)" srcset="${dark}">
<source media="${still}" srcset="${light}">`;
}

function pictureOf({ name, width, height, light, dark }: Shot): string {
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">
<img src="${light}" width="${width}" height="${height}" loading="lazy" alt="${SHOWS[name]}"></picture>`;
}

/** The first paragraph of words, or the first block of code, as it is written. */
function firstOf(text: string, type: "paragraph" | "code", language?: string): string {
  const isWanted = (token: { type: string; raw: string; lang?: string }) =>
    token.type === type && !token.raw.startsWith("![") && token.lang === language;
  const found = new Marked().lexer(text).find((token) => isWanted(token as never));
  if (found === undefined) throw new Error(`Cannot make the site: a README has no ${type}`);
  return found.raw;
}
