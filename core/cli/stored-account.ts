/** The account that `login` stored: a file that its owner alone can read. */
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { writeWhole } from "../disk/entry-file.ts";
import { OTHERS_RIGHTS } from "../disk/folder.ts";
import { codeOf, isForbidden } from "../errors/unexpected-failure.ts";
import { configVariable, ownFolder } from "./own-folder.ts";
import { UsageError } from "./usage-error.ts";

const path = v.optional(v.string());
const storedAccount = v.object({
  url: v.string(),
  token: v.string(),
  /** Paths of calls that the service has elsewhere than its interface shows. */
  paths: v.optional(v.object({ terminate: path, asset: path })),
});
type StoredAccount = v.InferOutput<typeof storedAccount>;
export type StoredPaths = NonNullable<StoredAccount["paths"]>;

/** @throws {UsageError} where no folder for it is known. */
export function storedAccountFile(): string {
  const file = findFile();
  if (file !== undefined) return file;
  throw new UsageError(`the folder of the stored account is not known: set ${configVariable()}`);
}

function findFile(): string | undefined {
  const folder = ownFolder("config");
  return folder && join(folder, "account.json");
}

/** @throws {UsageError} where it can't be read, or others can read it. */
export async function readStoredAccount(): Promise<StoredAccount | undefined> {
  const file = findFile();
  if (file === undefined) return undefined;
  try {
    const { mode } = await stat(file);
    // Windows has no such rights.
    if (platform() !== "win32" && (mode & OTHERS_RIGHTS) !== 0)
      throw new UsageError(`others can read ${file}: make it yours alone (chmod 600), or log in again`);
    return v.parse(storedAccount, JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (codeOf(error) === "ENOENT" || isForbidden(error)) return undefined;
    throw new UsageError(`${file} can't be read (${codeOf(error) ?? "it is damaged"}): log in again`);
  }
}

export async function storeAccount(account: StoredAccount): Promise<void> {
  const file = storedAccountFile();
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeWhole(file, `${JSON.stringify(account)}\n`);
  } catch (error) {
    const state = `${file} can't be written (${codeOf(error) ?? "unknown reason"})`;
    throw new UsageError(`${state}. For another place, set ${configVariable()}`);
  }
}

export async function forgetStoredAccount(): Promise<boolean> {
  const file = storedAccountFile();
  const isThere = (await stat(file).catch(() => undefined)) !== undefined;
  await rm(file, { force: true });
  return isThere;
}
