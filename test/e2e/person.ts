/** What a person does with the extension: sets it up, chooses files, watches the list. */

import type { Locator, Page } from "playwright-core";
import type { SpawnedService } from "../service/spawned.ts";
import type { Extension } from "./extension.ts";

/** Enters address and token on the options page that opened at install, changes what else is wanted, and saves. */
export async function setUp(
  extension: Extension,
  service: Pick<SpawnedService, "baseUrl" | "token">,
  change: (options: Page) => Promise<void> = async () => {},
): Promise<void> {
  const { hostname } = new URL(service.baseUrl);
  await extension.allow(`http://${hostname}/*`);
  const options = await extension.open("options.html");
  await options.getByLabel("Address of the service").fill(service.baseUrl);
  await options.getByLabel("Token", { exact: true }).fill(`Bearer ${service.token}`);
  await change(options);
  await options.getByRole("button", { name: "Save" }).click();
  await options.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  await options.close();
}

/** Chooses files in the popup, opened in a tab. */
export async function choose(popup: Page, ...files: { name: string; bytes: Uint8Array }[]): Promise<void> {
  const input = popup.locator("input[type=file]:enabled").first();
  await input.waitFor({ state: "attached" });
  await input.setInputFiles(
    files.map(({ name, bytes }) => ({ name, mimeType: "video/mp4", buffer: Buffer.from(bytes) })),
  );
}

/** The row of a file in the list. */
export function rowOf(popup: Page, name: string): Locator {
  return popup.getByRole("listitem").filter({ hasText: name });
}
