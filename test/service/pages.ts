/** The service's start page. */
import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import type { Bindings } from "./api.ts";

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
