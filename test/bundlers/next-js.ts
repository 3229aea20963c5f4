/** Next, by either of its bundlers: pages are components, and a program is what its server answers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { succeed } from "../packaging/run.ts";
import type { Bundler } from "./bundlers.ts";
import { PACKAGES, versionOf } from "./packages.ts";

/** Packages are looked for outside the project, too, where links lead. */
const CONFIG = `export default { outputFileTracingRoot: "/", turbopack: { root: "/" } };\n`;
const LAYOUT = `export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n`;
const pageOf = (script: string) =>
  `"use client";\nimport "../../src/${script}.js";\nexport default () => <input type="file" />;\n`;
const routeOf = (script: string) =>
  `import { run } from "../../src/${script}.js";
export const dynamic = "force-dynamic";
export const GET = async () => new Response(await run());\n`;

export function nextJs(name: string, option: string): Bundler {
  return {
    name,
    version: versionOf("next"),
    async bundle({ folder, pages, program }, output, environment) {
      const links = ["next", "react", "react-dom"].map((each) => [each, join(folder, "node_modules", each)]);
      // Of another bundler's run.
      for (const made of [".next", "app", ...links.map(([each]) => `node_modules/${each}`)])
        await rm(join(folder, made), { recursive: true, force: true });
      for (const [each = "", link = ""] of links) await symlink(join(PACKAGES, each), link);
      const write = async (path: string, text: string) => {
        await mkdir(join(folder, path, ".."), { recursive: true });
        await writeFile(join(folder, path), text);
      };
      await write("next.config.mjs", CONFIG);
      await write("app/layout.jsx", LAYOUT);
      for (const page of pages) await write(`app/${page}/page.jsx`, pageOf(page));
      if (program !== undefined) await write("app/program/route.js", routeOf(program));
      const next = join(PACKAGES, "next/dist/bin/next");
      const settings = { ...environment, NEXT_TELEMETRY_DISABLED: "1" };
      await succeed("node", [next, "build", option], folder, settings);
      await cp(join(folder, ".next/server/app"), output, { recursive: true });
      await cp(join(folder, ".next/static"), join(output, "_next/static"), { recursive: true });
      return program === undefined ? {} : { program: await askServer(next, folder, settings) };
    },
  };
}

/** Starts the server, and asks it for what the program prints. */
async function askServer(next: string, folder: string, settings: Record<string, string>): Promise<string> {
  const environment = { ...process.env, ...settings, NODE_ENV: "production" };
  const args = [next, "start", "--hostname", "127.0.0.1", "--port", "0"];
  const server = spawn("node", args, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  try {
    let told = "";
    for await (const text of server.stdout.setEncoding("utf8")) {
      told += text;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
      if (address === undefined || !told.includes("Ready")) continue;
      const response = await fetch(`${address}/program`);
      return response.ok ? await response.text() : `answered ${response.status}`;
    }
    throw new Error(`Cannot start Next: it ended, and said ${told}`);
  } finally {
    server.kill();
    await ended;
  }
}
