/** Provides the browser and a display, and builds the extension as a user gets it, once before all tests. */
import { join } from "node:path";
import { provideDisplay } from "../browser/display.ts";
import { provideChromium } from "../browser/launch.ts";
import { ROOT, succeed } from "../packaging/run.ts";

export const BUILT: string = join(ROOT, ".output/chrome-mv3");

export default async function setUp(): Promise<void> {
  await provideChromium({ extensions: true });
  await provideDisplay();
  await buildExtension();
}

/** Builds it into its usual folder. */
export async function buildExtension(browser: "chrome" | "firefox" = "chrome"): Promise<void> {
  // The tests run in a mode of their own, in which packages are built for developing.
  const mode = { NODE_ENV: "production" };
  await succeed("node", ["node_modules/wxt/bin/wxt.mjs", "build", "--browser", browser], ROOT, mode);
}
