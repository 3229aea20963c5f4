/** `npm run check` runs it: subjects of commits, so that a list of them, such as the changelog, can be read. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The last commit before subjects were checked. */
const BASE = "b58c6fb5911517454c07b0ea8ab10c3b62b424d1";
const TYPE = /(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([a-z0-9-]+\))?!?: /;
export const SUBJECT = new RegExp(`^(?=.{1,72}$)${TYPE.source}[a-z].*(?<!\\.)$`);

function subjects(...range: string[]): string[] | undefined {
  try {
    const log = execFileSync("git", ["log", "--no-merges", "--format=%s", ...range], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return log.split("\n").filter((line) => line !== "");
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Of a clone without that history its last commit, and none without a clone.
  const all = subjects(`${BASE}..HEAD`) ?? subjects("-1") ?? [];
  const bad = all.filter((subject) => !SUBJECT.test(subject));
  for (const subject of bad)
    console.error(`"${subject}" is not like "fix(core): redact tokens", in 72 characters`);
  console.log(`Subjects of ${all.length} commits: ${bad.length} to reword`);
  if (bad.length > 0) process.exitCode = 1;
}
