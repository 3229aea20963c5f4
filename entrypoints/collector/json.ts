/** JSON that lies in a page: read and gone through in small steps, however much there is of it. */
import { CLOCK_INTERVAL, type TimeSlice } from "./time-slice.ts";

/** Nesting deeper than this holds nothing about a video. */
const MAX_DEPTH = 12;
/** Characters of one text: it is parsed in one go. */
const MAX_JSON = 2 ** 18;
/** Lists and objects in each other, and all values, of one text. */
const [MAX_JSON_DEPTH, MAX_JSON_VALUES] = [64, 20_000];
/** Characters of one that takes next to no time. */
const SMALL_JSON = 2 ** 14;
/** Texts that a script is put together from. */
const MAX_TEXTS = 64;

/** What a script holds; `undefined` where that is too much, or broken. */
export async function readScript(script: HTMLScriptElement, slice: TimeSlice): Promise<unknown> {
  const json = scriptText(script);
  return json === undefined ? undefined : await readJson(json, slice);
}

/** A text as what it means; `undefined` where that is too much, or broken. */
export async function readJson(json: string, slice: TimeSlice): Promise<unknown> {
  if (json.length > MAX_JSON) return undefined;
  if (json.length > SMALL_JSON || slice.isOver(CLOCK_INTERVAL)) await slice.yieldToPage();
  if (isTooMuch(json)) return undefined;
  if (json.length > SMALL_JSON) await slice.yieldToPage();
  return parse(json);
}

/**
 * Looks at every value, however deep it lies.
 *
 * @param read what a value says, given the lists and objects that it is in, the innermost last
 */
export async function* searchJson<Found>(
  root: unknown,
  slice: TimeSlice,
  read: (value: unknown, around: readonly object[]) => Iterable<Found | undefined>,
): AsyncGenerator<Found> {
  const around: object[] = [];
  /** What is looked into next, the innermost last. */
  const lists: Iterator<unknown>[] = [[root].values()];
  for (let list = lists.at(-1); list !== undefined; list = lists.at(-1)) {
    if (slice.isOver()) await slice.yieldToPage();
    if (slice.isUsedUp()) return;
    const { done, value } = list.next();
    if (done) {
      lists.pop();
      around.pop();
      continue;
    }
    for (const found of read(value, around)) {
      if (slice.isOver()) await slice.yieldToPage();
      if (found !== undefined) yield found;
    }
    if (typeof value !== "object" || value === null || lists.length > MAX_DEPTH) continue;
    lists.push(valuesOf(value));
    around.push(value);
  }
}

/** One after the other: a list of all values would be made in one go. */
function* valuesOf(value: object): Generator<unknown> {
  if (Array.isArray(value)) yield* value;
  else for (const key in value) yield (value as Record<string, unknown>)[key];
}

function scriptText(script: HTMLScriptElement): string | undefined {
  let json = "";
  for (let node = script.firstChild, count = 0; node !== null; node = node.nextSibling, count++) {
    if (!(node instanceof Text)) continue;
    if (json.length + node.length > MAX_JSON || count >= MAX_TEXTS) return undefined;
    json += node.data;
  }
  return json;
}

/** True if parsing it would take too long: it has more values than any description, or lies deeper. */
function isTooMuch(json: string): boolean {
  let [values, depth, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') isText = !isText;
    else if (isText) at += character === "\\" ? 1 : 0;
    else if (character === "," || character === "[" || character === "{") {
      values++;
      if (character !== ",") depth++;
      if (depth > MAX_JSON_DEPTH || values > MAX_JSON_VALUES) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Written by people and programs: many are broken.
    return undefined;
  }
}
