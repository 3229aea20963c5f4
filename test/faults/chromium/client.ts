/** Uploads by plans, in a Chromium of its own whose profile is the journal; takes them and prints as the other clients do. */
import { existsSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { launchChromium } from "../../browser/launch.ts";
import type { ClientPlan } from "../plan.ts";
import { idOf } from "./extension.ts";

const [, , given] = process.argv;
const { journal } = JSON.parse(given ?? "{}") as Partial<ClientPlan>;
const { UPCUT_URL: baseUrl = "", UPCUT_TOKEN: token = "", UPCUT_EXTENSION: folder = "" } = process.env;
const { context, close } = await launchChromium({
  extensions: true,
  args: [`--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
  ...(journal !== undefined && { userDataDir: journal }),
});
const browser = await context.browser()?.newBrowserCDPSession();
const processes = async () => (await browser?.send("SystemInfo.getProcessInfo"))?.processInfo ?? [];
// Whoever kills this process must kill that one.
console.log(`browser ${(await processes()).find(({ type }) => type === "browser")?.id}`);

const page = await context.newPage();
page.on("console", (message) => {
  // The browser itself tells its developer tools of it, with the words of the host; no script can read that.
  if (!message.text().startsWith("Failed to load resource")) console.log(message.text());
});
await page.goto(`chrome-extension://${idOf(folder)}/page.html`);
if (given !== undefined) await run(given);
else {
  console.log(`ready ${(await processes()).map(({ id }) => id).join(" ")}`);
  for await (const line of createInterface({ input: process.stdin })) await run(line);
}
await close();

async function run(text: string): Promise<void> {
  const plan = JSON.parse(text) as ClientPlan;
  if (plan.path !== undefined && existsSync(plan.path)) await page.locator("input").setInputFiles(plan.path);
  const outcome = await page.evaluate(([what, account]) => window.runPlan(what, account), [
    plan,
    { baseUrl, token },
  ] as const);
  console.log(JSON.stringify(outcome));
}
