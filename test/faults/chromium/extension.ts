/** An extension of one page, which may reach every host as ours may those that were allowed. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../runtimes/bundle.ts";

const manifest = {
  manifest_version: 3,
  name: "Client",
  version: "1",
  host_permissions: ["http://127.0.0.1/*"],
  content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" },
};
const page = `<!doctype html>
<title>Client</title>
<input type="file" aria-label="Video">
<script type="module" src="page.js"></script>
`;

export async function makeExtension(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "upcut-client-"));
  const script = await bundle("../faults/chromium/page.ts", ["browser", "module"]);
  const files = { "manifest.json": JSON.stringify(manifest), "page.html": page, "page.js": script };
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
