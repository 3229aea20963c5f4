/** Patterns of file names, as shells have them. Not every runtime has `path.matchesGlob`, and Node before 24 warns of it. */
import { platform } from "node:os";
import { UsageError } from "./usage-error.ts";

/** Tells if a path below a folder matches; its parts are separated by "/". */
export type Matcher = (path: string) => boolean;

/** Characters of a pattern: more than any needs. */
const LONGEST_PATTERN = 1000;

/** The parts of a pattern; `**` is any number of folders. */
const PARTS = /\*\*\/|\/\*\*$|\*\*|\*|\?|\[(!?)([^\]/]+)\]|\{|\}|,|\\(.)|./gs;

/**
 * Reads a pattern. One without "/" is for the name of a file or folder anywhere, any other for the path from the folder that
 * was named; one that ends with "/" is for all below that folder. Capital and small letters are the same, since cameras write
 * names such as CLIP.MOV.
 *
 * @throws {UsageError} where it isn't one.
 */
export function globMatcher(pattern: string, system: string = platform()): Matcher {
  const parted = system === "win32" ? pattern.replaceAll("\\", "/") : pattern;
  const given = parted
    .normalize("NFC")
    .replace(/^\.?\//, "")
    .replace(/\/$/, "/**");
  try {
    if (given === "" || given.length > LONGEST_PATTERN) throw new Error("no pattern");
    const expression = expressionOf(given);
    if (given.includes("/")) return (path) => expression.test(path.normalize("NFC"));
    return (path) => expression.test(path.slice(path.lastIndexOf("/") + 1).normalize("NFC"));
  } catch {
    throw new UsageError(
      "a pattern of --include or --exclude can't be read: it is like '*.mov' or '2024/**'",
    );
  }
}

/** @throws where a brace isn't closed, or a range ends before it begins. */
function expressionOf(pattern: string): RegExp {
  let open = 0;
  const source = pattern.replace(PARTS, (part, not: string, set?: string, escaped?: string) => {
    if (set !== undefined) return `[${not === "!" ? "^/" : ""}${set.replace(/[\\[\]^]/g, "\\$&")}]`;
    if (part === "{") open++;
    if (part === "}" && open > 0) {
      open--;
      return ")";
    }
    if (part === "," && open > 0) return "|";
    return MEANINGS[part] ?? (escaped ?? part).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
  return new RegExp(`^${source}$`, "iu");
}

const MEANINGS: Record<string, string> = {
  "**/": "(?:[^/]+/)*",
  "/**": "/.*",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
};
