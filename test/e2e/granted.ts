/** Permissions that a person has allowed once before: Chromium gives them again at a click, without its prompt. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BUILT } from "./build.ts";
import { loadExtension } from "./extension.ts";

interface Preferences {
  extensions: {
    settings: Record<string, { path?: string } & Record<string, { api?: string[] } | undefined>>;
  };
}

/** Makes a profile in which the extension is installed, and was allowed these permissions at some time. */
export async function makeProfile(userDataDir: string, permissions: string[]): Promise<void> {
  const extension = await loadExtension({ userDataDir, firstRun: true });
  await extension.close();
  const path = join(userDataDir, "Default/Preferences");
  const preferences = JSON.parse(await readFile(path, "utf8")) as Preferences;
  const own = Object.values(preferences.extensions.settings).find((each) => each.path === BUILT);
  if (own === undefined) throw new Error("the profile doesn't know the extension");
  for (const kind of ["granted_permissions", "runtime_granted_permissions"])
    own[kind] = { ...own[kind], api: [...(own[kind]?.api ?? []), ...permissions] };
  await writeFile(path, JSON.stringify(preferences));
}
