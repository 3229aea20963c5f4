/** The service's own pages: the start page and the list of sample videos. */
import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { html } from "hono/html";
import type { Bindings } from "./api.ts";
import { listSamples } from "./delivery.ts";

const types: Record<string, string> = {
  "index.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

// Names come from whoever uploads: nothing but the page's own files may run, or be framed.
const policy = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

export function createPages(): Hono<Bindings> {
  const pages = new Hono<Bindings>();
  pages.get("/", async (c) => c.body(await readPage("index.html"), 200, pageHeaders("index.html")));
  pages.get("/page/:file", async (c) => {
    const file = c.req.param("file");
    return file in types ? c.body(await readPage(file), 200, pageHeaders(file)) : c.notFound();
  });

  pages.get("/samples/", async (c) => {
    const names = await listSamples();
    return c.html(
      html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sample videos</title>
    <link rel="icon" href="/page/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/page/page.css">
  </head>
  <body>
    <header>
      <h1>Sample videos</h1>
      <p>To be uploaded from here or from disk. <a href="/">Back to the service</a></p>
    </header>
    <ul class="cards">
      ${names.map(
        (name) => html`<li class="card">
        <div class="screen"><video controls preload="metadata" src="/samples/${name}" aria-label="${name}"></video></div>
        <div class="text"><h2>${name}</h2><p><a href="/samples/${name}" download>Save the file</a></p></div>
      </li>`,
      )}
    </ul>
  </body>
</html>`,
      200,
      pageHeaders("index.html"),
    );
  });
  return pages;
}

function pageHeaders(file: string): Record<string, string> {
  return {
    "content-type": types[file] ?? "",
    "content-security-policy": policy,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
}

async function readPage(file: string): Promise<string> {
  return readFile(new URL(`./page/${file}`, import.meta.url), "utf8");
}
