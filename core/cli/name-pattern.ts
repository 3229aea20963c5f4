/** Names of assets made of the names of their files: `Holiday {stem}`. */

export interface Names {
  name: string;
  folder: string;
}

const PLACES = /\{(stem|name|folder)\}/g;

export function isPattern(name: string): boolean {
  return name.search(PLACES) !== -1;
}

/** @param names `undefined` for what has no name of its own, such as some addresses */
export function filledName(pattern: string, names: Names = { name: "Untitled video", folder: "" }): string {
  const stem = names.name.replace(/(?<=.)\.[^.]+$/, "");
  return pattern.replace(PLACES, (_, place: "stem" | keyof Names) => ({ ...names, stem })[place]);
}
