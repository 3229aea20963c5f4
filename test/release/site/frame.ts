/** What stands around each page of the site. */
import { posix } from "node:path";
import { escapeHtml } from "./documents.ts";

export interface Site {
  icon: string;
  version: string;
  /** Where the sources are, where that is known. */
  sources: string | undefined;
  /** The documents, in the order of their index. */
  contents: readonly { path: string; title: string }[];
}

export interface FramedPage {
  path: string;
  title: string;
  body: string;
  /** Whether the list of documents stands beside it. */
  hasContents: boolean;
}

/** Links that stand at the end of every page, by their words. */
const CLOSING = {
  Changes: "CHANGELOG.html",
  Privacy: "PRIVACY.html",
  Security: "SECURITY.html",
  "MIT licence": "LICENSE.html",
};

/** The address of a page of the site as another page links it. */
export function linkTo(target: string, from: string): string {
  return posix.relative(posix.dirname(from), target);
}

/** The line above each page, those of the reference too. */
export function headOf(site: Site, path: string): string {
  const link = (target: string, words: string) => {
    const current = target === path ? ' aria-current="page"' : "";
    return `<a href="${linkTo(target, path)}"${current}>${words}</a>`;
  };
  const sources = site.sources === undefined ? "" : `<a href="${site.sources}">Sources</a>`;
  return `<header class="site-head">
  <a class="home" href="${linkTo("index.html", path)}">${site.icon} Upcut</a>
  <nav aria-label="Site">${link("docs/index.html", "Documents")}${link("api/index.html", "Reference")}${sources}</nav>
</header>`;
}

export function framed(site: Site, { path, title, body, hasContents }: FramedPage): string {
  const shown = path === "index.html" ? title : `${title} – Upcut`;
  const contents = site.contents.map((each) => {
    const current = each.path === path ? ' aria-current="page"' : "";
    return `<li><a href="${linkTo(each.path, path)}"${current}>${escapeHtml(each.title)}</a></li>`;
  });
  const closing = Object.entries(CLOSING).map(
    ([words, target]) => `<a href="${linkTo(target, path)}">${words}</a>`,
  );
  const main = hasContents
    ? `<div class="columns">
<main>${body}</main>
<nav class="contents" aria-label="Documents"><ul>${contents.join("\n")}</ul></nav>
</div>`
    : `<main>${body}</main>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(shown)}</title>
<link rel="icon" href="${linkTo("icon.svg", path)}" type="image/svg+xml">
<link rel="stylesheet" href="${linkTo("site.css", path)}">
<link rel="stylesheet" href="${linkTo("head.css", path)}">
</head>
<body>
${headOf(site, path)}
${main}
<footer><span>Upcut ${site.version}</span>${closing.join("")}</footer>
</body>
</html>
`;
}
