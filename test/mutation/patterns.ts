/** Regular expressions that match a little more or less than a given one. */

/** Each of them differs from the given one in one place, and is written as in a source. */
export function brokenPatterns(pattern: string, flags: string): string[] {
  const broken: string[] = [];
  const put = (start: number, end: number, replacement: string) =>
    broken.push(`${pattern.slice(0, start)}${replacement}${pattern.slice(end)}`);
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at);
    if (rest.startsWith("\\")) {
      const other = /^\\[dDwWsSbB]/.exec(rest)?.[0].slice(1);
      if (other !== undefined && !(inClass && /b/i.test(other))) put(at + 1, at + 2, withCaseSwapped(other));
      at++;
    } else if (inClass) {
      inClass = !rest.startsWith("]");
    } else if (rest.startsWith("[")) {
      inClass = true;
      if (rest.startsWith("[^")) put(at + 1, at + 2, "");
      else put(at + 1, at + 1, "^");
    } else {
      const group = /^\(\?(?:<?[=!]|:)/.exec(rest)?.[0] ?? "";
      const last = group.at(-1);
      if (last === "=" || last === "!")
        put(at + group.length - 1, at + group.length, last === "=" ? "!" : "=");
      const quantifier = group === "" ? (/^(?:[*+?]|\{\d+,?\d*\})\??/.exec(rest)?.[0] ?? "") : "";
      if (quantifier !== "") put(at, at + quantifier.length, quantifier === "*" ? "+" : "");
      if (/^[\^$]/.test(rest)) put(at, at + 1, "");
      at += Math.max(0, group.length - 1, quantifier.length - 1);
    }
  }
  const sources = broken.filter((source) => isPattern(source, flags)).map((source) => `/${source}/${flags}`);
  return flags.includes("i") ? [...sources, `/${pattern}/${flags.replace("i", "")}`] : sources;
}

function withCaseSwapped(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

function isPattern(source: string, flags: string): boolean {
  try {
    return source !== "" && new RegExp(source, flags).source !== "";
  } catch {
    return false;
  }
}
