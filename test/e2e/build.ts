/** Provides the browser and a display, and builds the extension as a user gets it, once before all tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { provideDisplay } from "../browser/display.ts";
import { provideChromium } from "../browser/launch.ts";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
export const BUILT: string = fileURLToPath(new URL("../../.output/chrome-mv3", import.meta.url));

export default async function setUp(): Promise<void> {
  await provideChromium({ extensions: true });
  await provideDisplay();
  await buildExtension();
}

/** Builds it into its usual folder. */
export async function buildExtension(): Promise<void> {
  const child = spawn(process.execPath, ["node_modules/wxt/bin/wxt.mjs", "build"], {
    cwd: ROOT,
    // The tests run in a mode of their own, in which packages are built for developing.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: "ignore",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0)
    throw new Error(`Cannot build the extension: wxt ended with ${code}. Run npm run build to see why`);
}
