/** The programs of the recipes, as their pages have them: the first line of a block names its file. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { blocks } from "../packaging/written.ts";

export interface Recipe {
  /** The page that has it. */
  page: string;
  /** Where the page says that it lies. */
  file: string;
  code: string;
}

export async function readRecipes(): Promise<Recipe[]> {
  const own = (await blocks()).filter(({ path }) => path.startsWith("docs/recipes-"));
  return own.flatMap(({ path: page, code }) => {
    const [, file] = /^(?:\/\/|#) ([\w./-]+\.(?:js|jsx|yml))\n/.exec(code) ?? [];
    return file === undefined ? [] : [{ page, file, code }];
  });
}

/** Lays the recipes of a page into a project. */
export async function writeRecipes(project: string, page: string): Promise<void> {
  for (const recipe of await readRecipes()) {
    if (recipe.page !== `docs/${page}`) continue;
    const path = join(project, recipe.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, recipe.code);
  }
}

/** Gives a project packages that are installed elsewhere. */
export async function linkPackages(project: string, from: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const link = join(project, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(from, name), link, "junction");
  }
}
