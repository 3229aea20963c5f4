/** A module of the extension as a script, for a page that is none of the extension. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** @param path below `entrypoints/`. @param globalName what has its exports in the page */
export async function moduleScript(path: string, globalName: string): Promise<string> {
  const source = fileURLToPath(new URL(`../../../../entrypoints/${path}`, import.meta.url));
  const define = { "import.meta.env.FIREFOX": "false" };
  const how = { bundle: true, write: false, format: "iife", globalName } as const;
  const { outputFiles } = await build({ entryPoints: [source], define, ...how });
  return outputFiles[0]?.text ?? "";
}
