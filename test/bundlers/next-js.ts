/** Next, by either of its bundlers: pages are components, and a program is what its server answers. */
import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { succeed } from "../packaging/run.ts";
import type { Bundler } from "./bundlers.ts";
import { PACKAGES, versionOf } from "./packages.ts";

const NEXT = join(PACKAGES, "next/dist/bin/next");

/** Packages are looked for outside the project, too, where links lead. */
const CONFIG = `export default { outputFileTracingRoot: "/", turbopack: { root: "/" } };\n`;
const LAYOUT = `export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n`;
const pageOf = (script: string) =>
  `"use client";\nimport "../../src/${script}.js";\nexport default () => <input type="file" />;\n`;
const routeOf = (script: string) =>
  `import { run } from "../../src/${script}.js";
export const dynamic = "force-dynamic";
export const GET = async () => new Response(await run());\n`;

/** Builds a project with one of the bundlers: its `app/` is there, and Next and React are linked. */
export async function buildNext(folder: string, option: string, environment: Record<string, string>) {
  await write(folder, "next.config.mjs", CONFIG);
  await write(folder, "app/layout.jsx", LAYOUT);
  await succeed("node", [NEXT, "build", option], folder, { ...environment, NEXT_TELEMETRY_DISABLED: "1" });
}

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), text);
}

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
      for (const page of pages) await write(folder, `app/${page}/page.jsx`, pageOf(page));
      if (program !== undefined) await write(folder, "app/program/route.js", routeOf(program));
      await buildNext(folder, option, environment);
      await cp(join(folder, ".next/server/app"), output, { recursive: true });
      await cp(join(folder, ".next/static"), join(output, "_next/static"), { recursive: true });
      return program === undefined ? {} : { program: await askProgram(folder, environment) };
    },
  };
}

async function askProgram(folder: string, environment: Record<string, string>): Promise<string> {
  const server = await startNext(folder, environment);
  try {
    const response = await fetch(`${server.origin}/program`);
    return response.ok ? await response.text() : `answered ${response.status}`;
  } finally {
    await server.close();
  }
}

/** Starts the server of a project that was built. */
export async function startNext(folder: string, environment: Record<string, string>) {
  const args = [NEXT, "start", "--hostname", "127.0.0.1", "--port", "0"];
  const server = spawn("node", args, {
    cwd: folder,
    env: { ...process.env, ...environment, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  const close = async () => {
    server.kill();
    await ended;
  };
  let told = "";
  server.stdout.setEncoding("utf8");
  for await (const [text] of on(server.stdout, "data", { close: ["end"] })) {
    told += text;
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(told) ?? [];
    if (origin !== undefined && told.includes("Ready")) return { origin, close };
  }
  await close();
  throw new Error(`Cannot start Next: it ended, and said ${told}`);
}
