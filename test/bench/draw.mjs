/** Draws the chart that the standard input describes in Vega-Lite, as an SVG. `npm ci --prefix test/bench` installs it. */
import { text } from "node:stream/consumers";
import { parse, View } from "vega";
import { compile } from "vega-lite";

const { spec } = compile(JSON.parse(await text(process.stdin)));
process.stdout.write(await new View(parse(spec), { renderer: "none" }).toSVG());
