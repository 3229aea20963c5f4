/** What the subjects and bodies of commits say of a release: its version, and its section in CHANGELOG.md. */

/** A commit as a reader of the changelog sees it. */
export interface Change {
  type: string;
  scope: string | undefined;
  /** Whoever uses the module or the extension has to change something. */
  breaking: boolean;
  text: string;
}

/** The types that a reader of the changelog cares about, in the order in which they stand there. */
const HEADINGS: Record<string, string> = {
  feat: "New",
  fix: "Fixed",
  perf: "Faster",
  revert: "Taken back",
};
const BREAKING = "Breaking";

/** Reads a commit's message; nothing where its subject begins with no type. */
export function readChange(message: string): Change | undefined {
  const [subject = "", ...body] = message.split("\n");
  const match = /^(?<type>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<mark>!)?: (?<text>.+)$/.exec(subject);
  if (match === null) return undefined;
  const { type = "", scope, mark, text = "" } = match.groups ?? {};
  const breaking = mark === "!" || body.some((line) => /^BREAKING[ -]CHANGE: /.test(line));
  return { type, scope, breaking, text };
}

/**
 * The version that follows, or `undefined` where no change is one that a user notices.
 *
 * Before 1.0.0 a caret takes new patches alone: there whatever breaks raises the second number, and all else the third.
 */
export function nextVersion(version: string, changes: readonly Change[]): string | undefined {
  const noticed = changes.filter(({ type, breaking }) => breaking || type in HEADINGS);
  if (noticed.length === 0) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const breaking = noticed.some((change) => change.breaking);
  if (major === 0) return breaking ? `0.${minor + 1}.0` : `0.${minor}.${patch + 1}`;
  if (breaking) return `${major + 1}.0.0`;
  const added = noticed.some(({ type }) => type === "feat");
  return added ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The section of a version: what breaks, then what is new, fixed and faster. */
export function sectionOf(version: string, date: string, changes: readonly Change[] | "first"): string {
  const title = `## ${version} (${date})`;
  if (changes === "first") return `${title}\n\nThe first release.\n`;
  const breaking = changes.filter((change) => change.breaking);
  const parts = [title, list(BREAKING, breaking)];
  for (const [type, heading] of Object.entries(HEADINGS)) {
    const own = changes.filter((change) => change.type === type && !change.breaking);
    parts.push(list(heading, own));
  }
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function list(heading: string, changes: readonly Change[]): string {
  if (changes.length === 0) return "";
  const lines = changes.map(({ scope, text }) => `- ${scope === undefined ? "" : `**${scope}**: `}${text}`);
  return `### ${heading}\n\n${lines.join("\n")}`;
}

/** Puts a section before those of earlier versions. What was written by hand below "Unreleased" goes to its end. */
export function withSection(changelog: string, section: string): string {
  const [head = "", ...sections] = changelog.split(/^(?=## )/m);
  const isWritten = (each: string) => each.startsWith(UNRELEASED);
  const written = sections.filter(isWritten).map((each) => `${each.slice(UNRELEASED.length).trim()}\n`);
  const earlier = sections.filter((each) => !isWritten(each));
  return `${head.trimEnd()}\n\n${[section, ...written, ...earlier].join("\n")}`;
}

const UNRELEASED = "## Unreleased\n";

/** What the changelog says of a version, without its title. */
export function notesOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((each) => each.startsWith(`## ${version} (`));
  return section?.slice(section.indexOf("\n") + 1).trim();
}
