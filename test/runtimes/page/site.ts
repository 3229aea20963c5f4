/** The page's own origin: an HTML page and its scripts. */
import { createServer } from "node:http";
import { closeServer, openServer } from "../../support/hosts/open-server.ts";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Upload</title>
    <link rel="icon" href="data:,">
    <script type="module" src="page.js"></script>
  </head>
  <body>
    <label>Video <input type="file"></label>
    <progress max="1" value="0" aria-label="Upload"></progress>
  </body>
</html>
`;

export type Site = Awaited<ReturnType<typeof serveSite>>;

/** Serves the page and its scripts, by name, on a free port. */
export async function serveSite(scripts: Record<string, string>) {
  const server = createServer((request, response) => {
    const script = scripts[request.url?.slice(1) ?? ""];
    const { policy } = site;
    if (request.url === "/" && policy !== undefined) response.setHeader("content-security-policy", policy);
    if (request.url === "/") response.setHeader("content-type", "text/html").end(page);
    else if (request.url === "/frame") response.setHeader("content-type", "text/html").end("<!doctype html>");
    else if (script !== undefined) response.setHeader("content-type", "text/javascript").end(script);
    else response.writeHead(404).end();
  });
  const site = {
    policy: undefined as string | undefined,
    url: `http://127.0.0.1:${await openServer(server)}/`,
    close: () => closeServer(server),
  };
  return site;
}
