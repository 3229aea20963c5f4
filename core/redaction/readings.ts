/**
 * A text as it reads once its escapes are resolved: percent-encoding, backslashes, entities and quoted-printable, one
 * inside another.
 */

/** How often an escaped text may have been escaped again, by another kind of escape. */
const MOST_ROUNDS = 6;

const HEX = "[\\da-fA-F]";
// A run of what escapes an escape counts as one: no text nests more deeply than it is read, and no run is read twice.
const PERCENT = `(?<!%)%+(?:25)*(?:u(${HEX}{4})|(${HEX}{2}))`;
const QUOTED_PRINTABLE = `=(${HEX}{2})|=\\r?\\n`;
const ENTITY = `&(?:amp;?)*(?:#[xX]0*(${HEX}{1,6});?|#0*(\\d{1,7});?|([a-zA-Z][\\da-zA-Z]{1,31});)`;
const CODE = `[ux]\\{0*(${HEX}{1,6})\\}|u(${HEX}{4})|U(${HEX}{8})|x(${HEX}{2})`;
const BACKSLASH = `(?<!\\\\)\\\\+(?:${CODE}|([bfnrtv])|)`;
const ESCAPE = new RegExp([PERCENT, QUOTED_PRINTABLE, ENTITY, BACKSLASH].join("|"), "g");

/** Tags and comments, of which a page shows nothing. */
const TAG = /<[^<>]*>/g;

/** Entities that other escapes begin with; others stand for signs that no comparison looks at, or for a letter. */
const SIGNS = new Map(
  Object.entries({ amp: "&", percnt: "%", bsol: "\\", num: "#", equals: "=", semi: ";" }),
);
const OTHER_SIGN = "_";

/**
 * The text as it stands and after each round: a later one may damage what an earlier one shows.
 *
 * @throws {RangeError} where it has still escapes after the last round
 */
export function readingsOf(text: string): ReadonlySet<string> {
  const found = new Set([text, text.replace(TAG, "")]);
  let last = text;
  for (let round = 0; ; round++) {
    const next = last.replace(ESCAPE, (...groups) => resolved(groups.slice(1, 12)));
    if (next === last) return found;
    if (round === MOST_ROUNDS) throw new RangeError("escapes inside escapes");
    found.add(next);
    last = next;
  }
}

/** The character of one escape, by the parts of the expression that it fits. */
function resolved(groups: (string | undefined)[]): string {
  const [percentWord, percent, quoted, hex, decimal, name, braced, short, long, byte, sign] = groups;
  if (name !== undefined) return SIGNS.get(name) ?? /^([a-z])(?:fr|scr|opf)$/i.exec(name)?.[1] ?? OTHER_SIGN;
  if (sign !== undefined) return " ";
  if (decimal !== undefined) return character(Number(decimal));
  const code = percentWord ?? percent ?? quoted ?? hex ?? braced ?? short ?? long ?? byte;
  return code === undefined ? "" : character(Number.parseInt(code, 16));
}

/** A character by its number; a sign that no comparison looks at where there is none. */
export function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : OTHER_SIGN;
}
