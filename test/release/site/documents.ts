/** The documents as pages of the site: Markdown files, and whatever files of the project they link. */
import { readFile, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { Marked, type Token } from "marked";
import { ROOT } from "../../packaging/run.ts";

export interface DocumentPage {
  /** In the project. */
  source: string;
  /** On the site. */
  path: string;
  title: string;
  body: string;
  /** The files of the project that it links, in their order. */
  links: string[];
}

export interface Documents {
  pages: DocumentPage[];
  pictures: string[];
}

const PICTURE = /\.(?:png|webp|gif|svg)$/;

/** Reads documents, and all that is linked from there on. */
export async function readDocuments(sources: readonly string[]): Promise<Documents> {
  const found: Documents = { pages: [], pictures: [] };
  const all = new Set(sources);
  // A set gives what is added meanwhile as well.
  for (const source of all) {
    if (PICTURE.test(source)) {
      found.pictures.push(source);
      continue;
    }
    const text = await readFile(join(ROOT, source), "utf8");
    const path = pathOf(source);
    const page = source.endsWith(".md")
      ? await renderMarkdown(text, source, path)
      : renderSource(text, source);
    found.pages.push({ source, path, ...page });
    for (const link of page.links) all.add(link);
  }
  return found;
}

/** Where a file of the project is on the site. The first page of all is its own. */
export function pathOf(source: string): string {
  // Pages publishes no hidden folders.
  if (PICTURE.test(source)) return source.replace(/^\.github\//, "pictures/");
  if (!source.endsWith(".md")) return `${source}.html`;
  return source.replace(/\/README\.md$/, "/index.md").replace(/\.md$/, ".html");
}

/** Makes HTML of a text that stands in one file and is shown at a path of the site. */
export async function renderMarkdown(
  text: string,
  source: string,
  path: string,
): Promise<Pick<DocumentPage, "title" | "body" | "links">> {
  const titles: string[] = [];
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        titles.push(title);
        const id = idOf(title);
        const used = ids.get(id) ?? 0;
        ids.set(id, used + 1);
        const unique = used === 0 ? id : `${id}-${used}`;
        return `<h${depth} id="${unique}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  const tokens = marked.lexer(text);
  const linking: Extract<Token, { href: string }>[] = [];
  marked.walkTokens(tokens, (token) => {
    if (token.type === "link" || token.type === "image") linking.push(token as (typeof linking)[number]);
  });
  const links: string[] = [];
  for (const token of linking) {
    if (/^(?:[a-z]+:|#)/.test(token.href)) continue;
    const [target = "", ...fragment] = token.href.split(/(?=#)/);
    const linked = await fileAt(posix.join(posix.dirname(source), target));
    if (linked.isThere) links.push(linked.file);
    token.href = posix.relative(posix.dirname(path), pathOf(linked.file)) + fragment.join("");
  }
  const body = marked
    .parser(tokens)
    .replaceAll("<table>", '<div class="wide"><table>')
    .replaceAll("</table>", "</table></div>");
  return { title: titles[0] ?? source, body, links };
}

/** GitHub's ids of headings: their words without punctuation. */
function idOf(title: string): string {
  const text = title.replace(/&(?:#\d+|\w+);/g, "");
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

/** What a link to a path means: of a folder its README. */
async function fileAt(path: string): Promise<{ file: string; isThere: boolean }> {
  const found = await stat(join(ROOT, path)).catch(() => undefined);
  if (found?.isDirectory()) return await fileAt(posix.join(path, "README.md"));
  return { file: path, isThere: found !== undefined };
}

function renderSource(text: string, source: string): Pick<DocumentPage, "title" | "body" | "links"> {
  return {
    title: source,
    body: `<h1>${source}</h1>\n<pre><code>${escapeHtml(text)}</code></pre>`,
    links: [],
  };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
