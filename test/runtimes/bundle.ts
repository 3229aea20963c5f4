/** One script of a module and all it imports, as an edge worker, a page or an app takes it. */
import { resolve } from "node:path";
import { build } from "vite";

/**
 * Bundles a module.
 *
 * @param entry path relative to this folder
 * @param conditions of the `exports` of packages, besides "import" and "default"
 */
export async function bundle(
  entry: string,
  conditions: string[] = ["browser", "module"],
  minify: boolean = false,
): Promise<string> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "warn",
    publicDir: false,
    resolve: { conditions },
    build: {
      write: false,
      minify,
      modulePreload: false,
      rolldownOptions: {
        input: resolve(import.meta.dirname, entry),
        preserveEntrySignatures: "strict",
        external: /^cloudflare:/,
        // What is loaded when it is used comes along.
        output: { codeSplitting: false },
      },
    },
  });
  const chunks = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const [chunk, more] = chunks;
  if (chunk?.type !== "chunk" || more !== undefined)
    throw new Error(`${entry} gave ${chunks.length} files, expected one script`);
  return chunk.code;
}
