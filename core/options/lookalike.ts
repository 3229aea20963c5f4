/** The name that somebody may have meant who wrote another one. */

/** Characters of a name that is looked at; no option has as many. */
const LONGEST_NAME = 40;

/** The name that differs from a given one in nothing but case and signs, or in few characters; of several the nearest. */
export function lookalikeOf(given: string, names: readonly string[]): string | undefined {
  if (given.length > LONGEST_NAME) return undefined;
  const plain = plainOf(given);
  let [nearest, least]: [string | undefined, number] = [undefined, Math.floor(plain.length / 3) + 1];
  for (const name of names) {
    const distance = distanceOf(plain, plainOf(name));
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

function plainOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** How many characters have to be added, left out or replaced to make one text the other (Levenshtein's distance). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [above, character] of [...one].entries()) {
    let last = above + 1;
    row = [
      last,
      ...[...other].map((each, at) => {
        const replaced = (row[at] ?? 0) + (each === character ? 0 : 1);
        last = Math.min(replaced, last + 1, (row[at + 1] ?? 0) + 1);
        return last;
      }),
    ];
  }
  return row.at(-1) ?? 0;
}
