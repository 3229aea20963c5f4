/** An origin of its own for what a bundler made: one folder at a time. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { closeServer, openServer } from "../support/hosts/open-server.ts";

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

export interface BundlesSite {
  folder: string;
  origin: string;
  close(): Promise<void>;
}

export async function serveBundles(): Promise<BundlesSite> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    const content = await readFile(join(site.folder, normalize(pathname))).catch(() => undefined);
    if (content === undefined) response.writeHead(404).end();
    else
      response
        .setHeader("content-type", TYPES[extname(pathname)] ?? "application/octet-stream")
        .setHeader("cache-control", "no-store")
        .end(content);
  });
  const site = {
    folder: "",
    origin: `http://127.0.0.1:${await openServer(server)}`,
    close: () => closeServer(server),
  };
  return site;
}
