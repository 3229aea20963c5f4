/** Bundles one script by Rollup, and minifies it by esbuild: `node rollup.mjs <script> <bundle> web|node`. */
import { writeFile } from "node:fs/promises";
import process from "node:process";
import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { transform } from "esbuild";
import { rollup } from "rollup";

const [input, bundle, target] = process.argv.slice(2);
const isPage = target === "web";
const built = await rollup({
  input,
  plugins: [nodeResolve({ browser: isPage, preferBuiltins: !isPage }), commonjs()],
  onLog: (_, { message }) => console.log(message),
});
const { output } = await built.generate({ format: "es", inlineDynamicImports: true });
const { code } = await transform(output[0].code, { minify: true, format: "esm" });
await writeFile(bundle, code);
