/** Provides the browser before the first test, so that no test begins while another one installs it. */
import { provideShell } from "./launch.ts";

export default async function setUp(): Promise<void> {
  await provideShell();
}
