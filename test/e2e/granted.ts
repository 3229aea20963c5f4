/** Permissions that a person has allowed once before: Chromium gives them again at a click, without its prompt. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BUILT } from "./build.ts";
import { loadExtension } from "./extension.ts";

interface Granted {
  api?: string[];
  explicit_host?: string[];
}

interface Preferences {
  extensions: { settings: Record<string, { path?: string } & Record<string, Granted | undefined>> };
}

/** Makes a profile in which the extension is installed, and was allowed this at some time. */
export async function makeProfile(
  userDataDir: string,
  { permissions = [], origins = [] }: chrome.permissions.Permissions,
): Promise<void> {
  const extension = await loadExtension({ userDataDir, firstRun: true });
  await extension.close();
  const path = join(userDataDir, "Default/Preferences");
  const preferences = JSON.parse(await readFile(path, "utf8")) as Preferences;
  const own = Object.values(preferences.extensions.settings).find((each) => each.path === BUILT);
  if (own === undefined) throw new Error("the profile doesn't know the extension");
  for (const kind of ["granted_permissions", "runtime_granted_permissions"]) {
    const { api = [], explicit_host = [], ...others } = own[kind] ?? {};
    own[kind] = {
      ...others,
      api: [...api, ...permissions],
      explicit_host: [...explicit_host, ...origins],
    };
  }
  await writeFile(path, JSON.stringify(preferences));
}
