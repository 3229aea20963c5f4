/** Fetches playlists, and the pieces of one quality: the choices that a video offers, the best quality first. */
import { isUpcutError } from "../errors/errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { kindOfBytes, otherKindError } from "../source/answer-kind.ts";
import { readDash } from "./dash.ts";
import { type Fetching, fetchBytes } from "./fetch-bytes.ts";
import { PICTURES, SOUND, strangeFormat, TEXTS } from "./formats.ts";
import type { HlsLanguage } from "./options.ts";
import {
  badList,
  isSamePlace,
  LIMITS,
  type MainPlaylist,
  type MediaPlaylist,
  type Problem,
  placeUrl,
  type Rendition,
  type Spoken,
  unsupported,
  type Variant,
} from "./playlist.ts";
import { readPlaylist } from "./read-playlist.ts";

export interface Lanes {
  main: MediaPlaylist;
  audio?: MediaPlaylist | undefined;
  /** The id of the language of its sound, where there are others. */
  language?: string | undefined;
}

export interface Opened {
  choices: Choice[];
  url: URL;
  /** Of its sound: the one that plays by default comes first. */
  languages: HlsLanguage[];
  subtitles: HlsLanguage[];
  named: readonly string[];
  /** @param attempts how often its playlists are asked for at most. @default as often as anything */
  lanesOf(choice: Choice, attempts?: number): Promise<Lanes>;
}

/** @param language the id of the language that is wanted. @default that of the sound that plays by default */
export async function openPlaylist(address: URL, how: Fetching, language?: string): Promise<Opened> {
  const { text, url } = await load(address, how);
  const open = (offered: Omit<MainPlaylist, "kind" | "url">, read: ReadOffer): Opened => {
    const choices = choicesOf(offered, language);
    if (choices.length === 0) throw unsupported("it has no pictures", url);
    const lanesOf: Opened["lanesOf"] = (choice, attempts) => readFirst(choice, read, how, attempts);
    return { choices, url, ...spokenIn(offered, choices), named: offered.named, lanesOf };
  };
  if (text.startsWith("<")) {
    const { piecesOf, ...offered } = readDash(text, url);
    return open({ ...offered, named: [] }, ({ variant, audio }, attempts) => {
      const often = { ...how, attempts };
      return both(piecesOf(variant, audio, often), audio && piecesOf(audio, audio, often));
    });
  }
  const { playlist, variables } = readPlaylist(text, url);
  if (playlist.kind === "media") {
    const lanesOf = async () => ({ main: playlist });
    return { choices: [ONLY], url, languages: [], subtitles: [], named: [], lanesOf };
  }
  const piecesAt = async (href: string, attempts?: number) => {
    const found = await load(placeUrl(href, url), { ...how, attempts });
    const { playlist: named } = readPlaylist(found.text, found.url, variables);
    // A main playlist that names another, or itself, would have no end.
    if (named.kind === "media") return named;
    throw badList("names qualities where pieces were expected", named.url);
  };
  return open(playlist, ({ variant, audio }, attempts) => {
    // Sound that is named where the pictures are is the one in their pieces.
    const resolved = (href: string) => (URL.canParse(href, url) ? new URL(href, url).href : href);
    const isInPictures = audio?.href !== undefined && resolved(audio.href) === resolved(variant.href);
    const href = isInPictures ? undefined : audio?.href;
    return both(piecesAt(variant.href, attempts), href === undefined ? undefined : piecesAt(href, attempts));
  });
}

type ReadOffer = (offer: Offer, attempts?: number) => Promise<Lanes>;

const ONLY: Choice = { id: "only", variant: { href: "", bandwidth: 0, codecs: [] }, backups: [] };

function spokenIn(
  { renditions, subtitles }: Pick<MainPlaylist, "renditions" | "subtitles">,
  choices: readonly Choice[],
): Pick<Opened, "languages" | "subtitles"> {
  const [languages, texts] = [renditions, subtitles].map((each) => [...new Set(languagesOf(each).values())]);
  const first = choices.find(({ language }) => language !== undefined)?.language;
  const isFirst = ({ id }: HlsLanguage) => Number(id === first?.id);
  return { languages: (languages ?? []).toSorted((a, b) => isFirst(b) - isFirst(a)), subtitles: texts ?? [] };
}

export const FEW_ATTEMPTS = 2;

/** Reads a quality, or the same elsewhere where it can't be taken; what is wrong with the first is told if all are. */
async function readFirst(
  choice: Choice,
  read: ReadOffer,
  { signal }: Fetching,
  attempts?: number,
): Promise<Lanes> {
  const offers = [choice, ...choice.backups];
  let first: { lanes: Lanes } | { error: unknown } | undefined;
  for (const offer of offers)
    try {
      const lanes = await read(offer, offer === offers.at(-1) ? attempts : FEW_ATTEMPTS);
      if (problemIn(lanes, true) === undefined) return lanes;
      first ??= { lanes };
    } catch (error) {
      signal.throwIfAborted();
      if (!isUpcutError(error)) throw error;
      first ??= { error };
    }
  if (first !== undefined && "lanes" in first) return first.lanes;
  throw first?.error;
}

async function both(main: Promise<MediaPlaylist>, audio?: Promise<MediaPlaylist>): Promise<Lanes> {
  const [first, second] = await Promise.all([main, audio]);
  const isInPictures =
    first.pieces.length === second?.pieces.length &&
    first.pieces.every((piece, at) => isSamePlace(piece, second.pieces[at]));
  return { main: first, audio: isInPictures ? undefined : second };
}

async function load(address: URL, how: Fetching): Promise<{ text: string; url: URL }> {
  const wanted = { url: address, most: LIMITS.playlist, anyKind: true, lack: whatLacks };
  const { bytes, url } = await fetchBytes(wanted, how);
  const text = textOf(bytes).trimStart();
  const other = kindOfBytes(new TextEncoder().encode(text));
  const isList = other === "a playlist" || /<([\w.-]+:)?MPD[\s>]/.test(text.slice(0, LONGEST_PROLOGUE));
  if (other !== undefined && !isList) throw otherKindError(other, originOf(url));
  return { text, url };
}

/** A playlist that won't change any more ends with a line that says so: without it, pieces behind would be lost. */
function whatLacks(bytes: Uint8Array): string | undefined {
  const text = textOf(bytes);
  const isCut = /^#EXT-X-PLAYLIST-TYPE:\s*VOD/im.test(text) && !/^#EXT-X-ENDLIST/m.test(text);
  return isCut ? "broke off in a playlist" : undefined;
}

/** The text of a playlist, whose first two bytes tell where it is in UTF-16. */
function textOf(bytes: Uint8Array): string {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

const LONGEST_PROLOGUE = 10_000;

export function problemIn({ main, audio }: Lanes, live: boolean): Problem | undefined {
  const problem = main.problem ?? audio?.problem;
  if (problem !== undefined || live || (main.ended && audio?.ended !== false)) return problem;
  return { code: "live-stream", message: "it is a live stream that hasn't ended" };
}

interface Offer {
  variant: Variant;
  /** Sound of its own, unless the pieces of the pictures hold it. */
  audio?: Rendition | undefined;
  language?: HlsLanguage | undefined;
}

export interface Choice extends Offer {
  /** Names it among the others, for example "1080p-5000000". */
  id: string;
  /** Other places of the quality, for when its first one is away (RFC 8216, 6.2.4). */
  backups: Offer[];
  /** Why it can't be taken, where the main playlist itself tells. */
  problem?: Problem | undefined;
}

/** @param wanted the id of the language of their sound. @default the one that plays unless somebody chooses another */
function choicesOf(
  { variants, renditions }: Pick<MainPlaylist, "variants" | "renditions">,
  wanted?: string,
): Choice[] {
  const languages = languagesOf(renditions);
  const spoken = renditions.filter((each) => wanted === undefined || languages.get(each)?.id === wanted);
  const sorted = [...variants].sort(
    (a, b) => areaOf(b) - areaOf(a) || (b.frameRate ?? 0) - (a.frameRate ?? 0) || b.bandwidth - a.bandwidth,
  );
  const choices = new Map<string, Choice>();
  for (const variant of sorted) {
    const group = spoken.filter((each) => each.group === variant.audio);
    const [sound] = group.toSorted((a, b) => b.preference - a.preference);
    const language = sound && languages.get(sound);
    const audio = sound?.href === undefined ? undefined : sound;
    const id = `${variant.height === undefined ? "unknown" : `${variant.height}p`}-${variant.bandwidth}`;
    const isSilent = wanted !== undefined && language === undefined;
    const message =
      strangenessOf(variant) ?? (isSilent ? "it has no sound in the language that was chosen" : undefined);
    const problem: Problem | undefined =
      message === undefined ? undefined : { code: "unsupported-video", message };
    const known = choices.get(id);
    // Of two formats as good as each other, one may be read here.
    if (known === undefined || (known.problem !== undefined && problem === undefined))
      choices.set(id, { id, variant, audio, language, backups: [], problem });
    else if (problem === undefined && known.language === language)
      known.backups.push({ variant, audio, language });
  }
  return [...choices.values()];
}

function areaOf({ width = 0, height = 0 }: Variant): number {
  return width * height;
}

function strangenessOf({ codecs, width, height }: Variant): string | undefined {
  const hasSize = width !== undefined && height !== undefined;
  const hasPictures = codecs.length === 0 || hasSize || codecs.some((codec) => PICTURES.test(codec));
  return strangeFormat(codecs, [PICTURES, SOUND, TEXTS]) ?? (hasPictures ? undefined : "it is sound alone");
}

/** Characters of a tag or a name: more than any real one has. */
const LONGEST = 100;

/** The language of each; what differs in its form alone has the same one. */
function languagesOf<Offered extends Spoken>(offered: readonly Offered[]): Map<Offered, HlsLanguage> {
  const known = new Map<string, HlsLanguage>();
  const ids = new Set<string>();
  const found = new Map<Offered, HlsLanguage>();
  for (const each of offered) {
    const [tag, name] = [each.language, each.name].map((text) => text?.slice(0, LONGEST) || undefined);
    const key = JSON.stringify([tag, name]);
    const numbered = `${tag ?? name ?? "unnamed"}-${known.size + 1}`;
    const id = [tag, name].find((text) => text !== undefined && !ids.has(text)) ?? numbered;
    const language = known.get(key) ?? { id, tag, name };
    known.set(key, language);
    ids.add(language.id);
    found.set(each, language);
  }
  return found;
}
