/** Provides the browser before the first test, so that no test begins while another one installs it. */
import { provideChromium } from "./launch.ts";

export default async function setUp(): Promise<void> {
  await provideChromium();
}
