/** One upload by a plan, in a Chromium of its own whose profile is the journal; prints as the other clients do. */
import { existsSync } from "node:fs";
import process from "node:process";
import { launchChromium } from "../../browser/launch.ts";
import { idOf } from "../../e2e/granted.ts";
import type { ClientPlan } from "../plan.ts";

const plan = JSON.parse(process.argv[2] ?? "{}") as ClientPlan;
const { journal } = plan;
const { UPCUT_URL: baseUrl = "", UPCUT_TOKEN: token = "", UPCUT_EXTENSION: folder = "" } = process.env;
const { context, close } = await launchChromium({
  extensions: true,
  args: [`--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
  ...(journal !== undefined && { userDataDir: journal }),
});
const browser = await context.browser()?.newBrowserCDPSession();
const processes = (await browser?.send("SystemInfo.getProcessInfo"))?.processInfo ?? [];
// Whoever kills this process must kill that one.
console.log(`browser ${processes.find(({ type }) => type === "browser")?.id}`);

const page = await context.newPage();
page.on("console", (message) => {
  // The browser itself tells its developer tools of it, with the words of the host; no script can read that.
  if (!message.text().startsWith("Failed to load resource")) console.log(message.text());
});
await page.goto(`chrome-extension://${idOf(folder)}/page.html`);
if (plan.path !== undefined && existsSync(plan.path)) await page.locator("input").setInputFiles(plan.path);
const outcome = await page.evaluate(([what, account]) => window.runPlan(what, account), [
  plan,
  { baseUrl, token },
] as const);
console.log(JSON.stringify(outcome));
await close();
