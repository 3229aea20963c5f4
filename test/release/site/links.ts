/** What the links of a site lead to: another page of it, a place on that page, or somewhere else. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface CheckedLinks {
  pages: number;
  /** Links, pictures and styles inside the site. */
  links: number;
  /** Links that leave it. */
  leaving: number;
  /** What is linked and isn't there, and what a browser would fetch from another host by itself. */
  wrong: string[];
}

const TAGS = /<([a-z][a-z\d]*)((?:\s+[\w:-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*\/?>/gi;
const ATTRIBUTES = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
const STYLE_LINKS = /(?:url\(\s*|@import\s+)["']?([^"')\s;]+)/g;

/** Checks files by their paths; those that are no text may be empty. */
export function checkLinks(files: ReadonlyMap<string, string>): CheckedLinks {
  const checked: CheckedLinks = { pages: 0, links: 0, leaving: 0, wrong: [] };
  const placesOf = new Map<string, Set<string>>();
  for (const [path, text] of files) if (path.endsWith(".html")) placesOf.set(path, readPlaces(text));

  for (const [path, text] of files) {
    if (path.endsWith(".html")) checked.pages++;
    for (const { link, isFetched } of linksIn(path, text)) {
      if (/^(?:data|mailto|javascript):/.test(link)) continue;
      const url = new URL(link, `site:///${path}`);
      if (url.protocol !== "site:" || url.host !== "") {
        checked.leaving++;
        if (isFetched) checked.wrong.push(`${path} fetches ${link}`);
        continue;
      }
      checked.links++;
      const target = decodeURIComponent(url.pathname.slice(1)).replace(/(^|\/)$/, "$1index.html");
      const place = decodeURIComponent(url.hash.slice(1));
      const isThere = files.has(target) && (place === "" || placesOf.get(target)?.has(place) === true);
      if (!isThere) checked.wrong.push(`${path} links ${link}`);
    }
  }
  return checked;
}

export async function checkFolder(folder: string): Promise<CheckedLinks> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const isText = /\.(?:html|css)$/.test(path);
    const below = path.slice(folder.length).replaceAll("\\", "/").replace(/^\//, "");
    files.set(below, isText ? await readFile(path, "utf8") : "");
  }
  return checkLinks(files);
}

function attributesOf(text: string): { tag: string; name: string; value: string }[] {
  const markup = text.replace(/<(script|style)\b([^>]*)>[\s\S]*?<\/\1>/gi, "<$1$2>");
  return [...markup.matchAll(TAGS)].flatMap(([, tag = "", attributes = ""]) =>
    [...attributes.matchAll(ATTRIBUTES)].map(([, name = "", ...values]) => ({
      tag: tag.toLowerCase(),
      name: name.toLowerCase(),
      value: decodeEntities(values.find((value) => value !== undefined) ?? ""),
    })),
  );
}

/** The places of a page that a link can name. */
export function readPlaces(text: string): Set<string> {
  return new Set(attributesOf(text).flatMap(({ name, value }) => (name === "id" ? [value] : [])));
}

function linksIn(path: string, text: string): { link: string; isFetched: boolean }[] {
  if (path.endsWith(".css"))
    return [...text.matchAll(STYLE_LINKS)].map(([, link = ""]) => ({ link, isFetched: true }));
  if (!path.endsWith(".html")) return [];
  return attributesOf(text).flatMap(({ tag, name, value }) => {
    if (name === "srcset")
      return value.split(",").map((each) => ({ link: each.trim().split(" ")[0] ?? "", isFetched: true }));
    if (name === "src" || name === "poster") return [{ link: value, isFetched: true }];
    return name === "href" ? [{ link: value, isFetched: tag === "link" }] : [];
  });
}

function decodeEntities(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(amp|lt|gt|quot|apos));/gi, (_, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : (named[name.toLowerCase()] ?? ""),
  );
}
