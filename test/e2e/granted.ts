/** Permissions that a person has allowed once before: Chromium gives them again at a click, without its prompt. */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BUILT } from "./build.ts";

/** Makes a profile in which the extension was allowed all that it may ask for, and hasn't been installed since. */
export async function writeProfile(userDataDir: string, extension = BUILT): Promise<void> {
  const manifest = JSON.parse(await readFile(join(extension, "manifest.json"), "utf8"));
  const granted = {
    api: manifest.optional_permissions,
    explicit_host: manifest.optional_host_permissions,
    manifest_permissions: [],
    scriptable_host: [],
  };
  const own = { granted_permissions: granted, runtime_granted_permissions: granted };
  // Without the mode Chromium doesn't load an unpacked extension again.
  const extensions = { settings: { [idOf(extension)]: own }, ui: { developer_mode: true } };
  await mkdir(join(userDataDir, "Default"), { recursive: true });
  await writeFile(join(userDataDir, "Default/Preferences"), JSON.stringify({ extensions }));
}

/** The id that Chromium gives an unpacked extension: the path of its folder, hashed, in letters from a to p. */
export function idOf(folder: string): string {
  const digits = createHash("sha256").update(folder).digest("hex").slice(0, 32);
  return digits.replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
}
