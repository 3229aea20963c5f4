/** The reference of core's API, which Deno makes of its doc comments. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import deno from "../../../core/deno.json" with { type: "json" };
import { ROOT, succeed } from "../../packaging/run.ts";
import { findRuntime } from "../../runtimes/find-runtime.ts";
import { headOf, linkTo, type Site } from "./frame.ts";
import { readPlaces } from "./links.ts";

/** Makes it in `api/` of a folder. Each of its pages gets the head of the others. */
export async function makeReference(folder: string, site: Site): Promise<void> {
  const output = join(folder, "api");
  const args = ["doc", "--quiet", "--html", `--name=${deno.name}`, `--output=${output}`];
  await succeed(findRuntime("deno"), [...args, ...Object.values(deno.exports)], join(ROOT, "core"));
  const pages = new Map<string, string>();
  for (const name of await readdir(output, { recursive: true })) {
    if (!name.endsWith(".html")) continue;
    const path = `api/${name.replaceAll("\\", "/")}`;
    const text = (await readFile(join(folder, path), "utf8")).replaceAll("&#x2F;", "/");
    pages.set(path, withHead(withAnchors(withImports(text)), path, site));
  }
  const places = new Map([...pages].map(([path, text]) => [path, readPlaces(text)]));
  for (const [path, text] of pages) await writeFile(join(folder, path), withKnownPlaces(text, path, places));
}

function withHead(text: string, path: string, site: Site): string {
  const style = `<link rel="stylesheet" href="${linkTo("head.css", path)}">`;
  return text
    .replace("<html>", '<html lang="en">')
    .replace("</head>", () => `${style}</head>`)
    .replace(/<body[^>]*>/, (body) => `${body}${headOf(site, path)}${entries(path)}`);
}

/** Deno's first page tells of the main entry alone. */
function entries(path: string): string {
  const links = Object.keys(deno.exports).map((entry) => {
    const page = posix.join("api", entry, "index.html");
    const current = page === path ? ' aria-current="page"' : "";
    return `<a href="${linkTo(page, path)}"${current}>${posix.join(deno.name, entry)}</a>`;
  });
  return `<nav class="site-entries" aria-label="Entries of the module">${links.join("\n")}</nav>`;
}

/** Deno shows how a name is imported by the name of its entry alone. */
function withImports(text: string): string {
  return text.replace(/(?<=from &quot;)([^&]+)(?=&quot;)/g, (entry) =>
    entry in deno.exports || `./${entry}` in deno.exports ? posix.join(deno.name, entry) : entry,
  );
}

/** Deno links examples by places that it writes nowhere: their own anchors become these. */
function withAnchors(text: string): string {
  const places = readPlaces(text);
  return text.replace(/<a href="#([^"]+)" class="anchor"/g, (anchor, place: string) => {
    if (places.has(place)) return anchor;
    places.add(place);
    return anchor.replace("<a", `<a id="${place}"`);
  });
}

/** Deno numbers members in each list by itself: a link to one that has another number on its page gets that. */
function withKnownPlaces(text: string, path: string, places: ReadonlyMap<string, Set<string>>): string {
  return text.replace(/ href="([^"#:]*)#([^"]+)"/g, (link, target: string, place: string) => {
    const page = target === "" ? path : posix.join(posix.dirname(path), target);
    const known = places.get(page);
    if (known === undefined || known.has(place)) return link;
    const stem = place.replace(/\d+$/, "");
    const same = [...known].find((each) => each.replace(/\d+$/, "") === stem);
    return same === undefined ? ` href="${target}"` : ` href="${target}#${same}"`;
  });
}
