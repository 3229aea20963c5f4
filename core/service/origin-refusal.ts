/**
 * Two refusals that both speak of web origins, and ask for opposite things: a token that no web page may use, and a
 * key that is restricted to web origins.
 */

/**
 * The caller that is refused.
 *
 * - `web-pages`: a token that may not be used from a web page; from a server it works
 * - `restricted-key`: a key restricted to web origins, which may not do this from anywhere; services let it upload and
 *   refuse other calls
 * - `unclear`: one of both, and the service doesn't say which
 */
export type OriginRefusal = "web-pages" | "restricted-key" | "unclear";

const PAGES = `(?:cors|cross[- ]?origin|browsers?|web ?(?:pages?|sites?))`;
const ORIGINS = `(?:(?:web |allowed )?origins?|referr?ers?)`;
const REFUSED = String.raw`(?:no|not|never|cannot|\w{2,6}n['’]t|dis(?:allow|abl)\w*|forb[ia]d\w*|den[iy]\w*|block\w*|refus\w*)`;

const ABOUT_ORIGINS = pattern(`(?:cors|cross[- ]?origin|${ORIGINS})`);
const NOT_IN_BROWSERS = pattern(`${REFUSED} (?:\\S+ ){0,6}(?:browsers?|web ?(?:pages?|sites?))`);
/** "CORS-enabled" is a kind of key, not something that is refused. */
const ENABLED_KEY = /(?<!\bnot )\bcors[- ]enabled\b/gi;
const NO_PAGES = [
  NOT_IN_BROWSERS,
  // "Forbidden by CORS" names who refuses, not what is refused.
  pattern(`${REFUSED} (?!by |due |because )(?:\\S+ ){0,3}${PAGES}`),
  pattern(
    `${PAGES} (?:\\S+ ){0,3}(?:not (?:\\S+ )?\\w+ed|dis(?:allow|abl)ed|forbidden|denied|blocked|refused)`,
  ),
];
const ONLY_SOME = [
  pattern(`restrict(?:ed|ions?|s)?`),
  pattern(String.raw`(?:only|limited)\b[^.;]{0,60}\b(?:${ORIGINS}|domains?)`),
  pattern(`(?:allow|white|safe)[- ]?list(?:s|ed)?`),
  pattern(String.raw`list of (?:\S+ )?${ORIGINS}`),
  pattern(String.raw`(?:missing|without|requires?|needs?)\b[^.;]{0,20}\b${ORIGINS}`),
];

/** Reads out of what a refusal says whether it is about web origins, and whom it refuses. */
export function readOriginRefusal(details: readonly string[]): OriginRefusal | undefined {
  // A refusal is a sentence or two; a longer text is none that could be read.
  const said = details.join(". ").slice(0, 2000);
  if (!ABOUT_ORIGINS.test(said) && !NOT_IN_BROWSERS.test(said)) return undefined;
  const rest = said.replace(ENABLED_KEY, "");
  const noPages = NO_PAGES.some((each) => each.test(rest));
  const onlySome = rest !== said || ONLY_SOME.some((each) => each.test(rest));
  if (noPages === onlySome) return "unclear";
  return noPages ? "web-pages" : "restricted-key";
}

function pattern(words: string): RegExp {
  return new RegExp(`\\b${words}\\b`, "i");
}
