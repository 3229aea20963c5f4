/**
 * `npm run check` runs it: the subject of every commit that came after the first one it looks at.
 *
 * A subject says in plain words what the commit does, so that a list of them can be read: "fix(core): redact echoed
 * tokens in upload errors".
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The last commit before subjects were checked. */
const BASE = "b58c6fb5911517454c07b0ea8ab10c3b62b424d1";
const LONGEST_SUBJECT = 72;
const TYPES = "build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test";
const FORM = new RegExp(`^(?:${TYPES})(?:\\([a-z0-9-]+\\))?!?: (\\S+)`);

/** Verbs in their base form that end like others. */
const BASE_FORMS = /^(?:.*(?:ss|eed)|bring|canvas|embed|focus|need|ping|process|ring|shed|spring|string)$/;

/** What is wrong with the subject of a commit, or `undefined`. */
export function problemOf(subject: string): string | undefined {
  if (subject.length > LONGEST_SUBJECT)
    return `has ${subject.length} characters, expected at most ${LONGEST_SUBJECT}`;
  const verb = FORM.exec(subject)?.[1];
  if (verb === undefined) return `begins with no type, expected one such as "fix(core): " (${TYPES})`;
  if (!/^[a-z][a-z-]*$/.test(verb)) return `goes on with "${verb}", expected a verb in small letters`;
  if (/(?:ed|ing|s)$/.test(verb) && !BASE_FORMS.test(verb))
    return `goes on with "${verb}", expected the imperative, such as "add"`;
  if (subject.endsWith(".")) return "ends with a period";
  return undefined;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function exists(revision: string): boolean {
  try {
    git("cat-file", "-e", revision);
    return true;
  } catch {
    return false;
  }
}

/** The subjects to look at: of a clone without that history its last one, and none without a clone. */
function subjects(): string[] {
  if (!exists("HEAD")) return [];
  const range = exists(BASE) ? [`${BASE}..HEAD`] : ["-1", "HEAD"];
  const log = git("log", "--no-merges", "--format=%s", ...range);
  return log.split("\n").filter((line) => line !== "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = subjects();
  const bad = all.flatMap((subject) => {
    const problem = problemOf(subject);
    return problem === undefined ? [] : [`"${subject}" ${problem}`];
  });
  for (const line of bad) console.error(line);
  console.log(`Subjects of ${all.length} commits: ${bad.length} to reword`);
  if (bad.length > 0) process.exitCode = 1;
}
