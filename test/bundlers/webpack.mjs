/** Bundles one script by webpack: `node webpack.mjs <script> <bundle> web|node`. */
import { basename, dirname } from "node:path";
import process from "node:process";
import webpack from "webpack";

const [entry, bundle, target] = process.argv.slice(2);
const compiler = webpack({
  mode: "production",
  entry,
  target,
  experiments: { outputModule: true },
  output: { path: dirname(bundle), filename: basename(bundle), module: true },
  performance: false,
  // What is loaded when it is used comes along.
  plugins: [new webpack.optimize.LimitChunkCountPlugin({ maxChunks: 1 })],
});
compiler.run((error, stats) => {
  console.log(error ?? stats.toString({ all: false, errors: true, warnings: true }));
  process.exitCode = error || stats.hasErrors() ? 1 : 0;
});
