/** One script file of a module and all it imports, as an edge worker or a page takes it. */
import { fileURLToPath } from "node:url";
import { build } from "vite";

/**
 * Bundles a module for a runtime.
 *
 * @param entry address relative to this folder
 * @param conditions of the `exports` of packages, besides "import" and "default"
 */
export async function bundle(entry: string, conditions: string[]): Promise<string> {
  const built = await build({
    configFile: false,
    root: fileURLToPath(new URL(".", import.meta.url)),
    logLevel: "warn",
    publicDir: false,
    resolve: { conditions },
    build: {
      write: false,
      minify: false,
      // What is loaded when it is used comes along.
      rolldownOptions: { external: /^cloudflare:/, output: { codeSplitting: false } },
      lib: { entry: fileURLToPath(new URL(entry, import.meta.url)), formats: ["es"], fileName: "bundle" },
    },
  });
  const chunks = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const [chunk, more] = chunks;
  if (chunk?.type !== "chunk" || more !== undefined)
    throw new Error(`${entry} gave ${chunks.length} files, expected one script`);
  return chunk.code;
}
