/** DASH manifests of the sample video, in each way in which they may say where its pieces are. */
import { type HlsServer, sample } from "./hls-server.ts";

const TYPES = { video: 'codecs="avc1.64000b" width="160" height="90"', audio: 'codecs="mp4a.40.2"' } as const;

export type Kind = keyof typeof TYPES;

/** Says where the pieces of a kind are. */
export type Segments = (kind: Kind) => string;

/** The numbers of the pieces that there are of a kind. */
export const numbersOf = (kind: Kind): number[] => (kind === "audio" ? [0, 1, 2, 3] : [0, 1, 2]);

/** A manifest of pictures and sound, beside whose folder their pieces lie. */
export function manifest(segments: Segments, { root = "", set = "", periods = 1 } = {}): string {
  const each = Array.from({ length: periods }, (_, at) => period(segments, { id: String(at), set }));
  return mpd(each, { root, duration: 6.021 * periods });
}

export function mpd(
  periods: readonly string[],
  { root = "", duration = 6.021 * periods.length } = {},
): string {
  return `<?xml version="1.0"?>
    <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:xlink="http://www.w3.org/1999/xlink" ${root || 'type="static"'} profiles="urn:mpeg:dash:profile:isoff-live:2011" minBufferTime="PT2S" mediaPresentationDuration="PT${duration}S">
    ${periods.join("")}</MPD>`;
}

/**
 * A Period of pictures and sound.
 *
 * @param more is put before what it offers, and `set` into each of it
 * @param prefix begins the ids of what it offers
 */
export function period(
  segments: Segments,
  { id = "0", attributes = 'duration="PT6.021S"', more = "", set = "", prefix = "" } = {},
): string {
  const sets = (["video", "audio"] as const).map(
    (kind) => `<AdaptationSet contentType="${kind}" mimeType="${kind}/mp4" lang="en">${set}
      <Representation id="${prefix}${kind}" bandwidth="48000" ${TYPES[kind]}>${segments(kind)}</Representation></AdaptationSet>`,
  );
  return `<Period id="${id}" ${attributes}>${more}${sets.join("")}</Period>`;
}

export const template =
  (more: string, inner = ""): Segments =>
  (kind) =>
    `<SegmentTemplate initialization="../${kind}/init.mp4" media="../${kind}/$Number$.m4s" startNumber="0" ${more}>${inner}</SegmentTemplate>`;

/** A template with a timeline of so many entries, in thousandths of a second. */
export const timeline = (entries: string, more = ""): Segments =>
  template(`timescale="1000" ${more}`, `<SegmentTimeline>${entries}</SegmentTimeline>`);

/** The lengths of all pieces of a kind. */
export const ENTRIES: Record<Kind, string> = {
  video: '<S t="0" d="2000" r="2"/>',
  audio: '<S t="0" d="2000" r="2"/><S d="22"/>',
};

export const byTimeline: Segments = (kind) => timeline(ENTRIES[kind])(kind);

/** Puts one file of a kind on a server, with an index of its pieces; says where that is. */
export function byIndex(hls: Pick<HlsServer, "files">): Segments {
  return (kind) => indexedFile(hls, kind, (listed, pieces) => [sidx(listed), ...pieces]);
}

/** The same with an index that names another one, which names a piece and a third one with the others. */
export function byIndexes(hls: Pick<HlsServer, "files">): Segments {
  return (kind) =>
    indexedFile(hls, kind, ([first = [0, 0], ...others], [piece = Buffer.alloc(0), ...pieces]) => {
      const last = Buffer.concat([sidx(others, 1000, 2000), ...pieces]);
      const second = Buffer.concat([sidx([first, [FURTHER + last.length, 4022]]), piece, last]);
      return [sidx([[FURTHER + second.length, 6022]]), second];
    });
}

/** Marks a further index among pieces. */
const FURTHER = 2 ** 31;

type Listed = [bytes: number, ticks: number];

function indexedFile(
  { files }: Pick<HlsServer, "files">,
  kind: Kind,
  partsOf: (listed: Listed[], pieces: Uint8Array[]) => Uint8Array[],
): string {
  const init = sample(`${kind}-init.mp4`);
  const pieces = numbersOf(kind).map((at) => sample(`${kind}-${at}.m4s`));
  // Of the sound a moment is left for the last one.
  const listed = pieces.map(({ length }, at): Listed => [length, at === 3 ? 22 : 2000]);
  const parts = partsOf(listed, pieces);
  files.set(`/indexed/${kind}.mp4`, new Uint8Array(Buffer.concat([init, ...parts])));
  const range = `${init.length}-${init.length + Buffer.from(parts[0] ?? []).readUInt32BE(0) - 1}`;
  return `<BaseURL>../indexed/${kind}.mp4</BaseURL><SegmentBase indexRange="${range}"><Initialization range="0-${init.length - 1}"/></SegmentBase>`;
}

/** An index of pieces from a time on, by the bytes of each and how long it plays. */
export function sidx(pieces: Listed[], timescale = 1000, time = 0): Buffer {
  const index = Buffer.alloc(32 + 12 * pieces.length);
  index.writeUInt32BE(index.length, 0);
  index.write("sidx", 4);
  index.writeUInt32BE(1, 12);
  index.writeUInt32BE(timescale, 16);
  index.writeUInt32BE(time, 20);
  index.writeUInt16BE(pieces.length, 30);
  for (const [at, [bytes, ticks]] of pieces.entries()) {
    index.writeUInt32BE(bytes, 32 + 12 * at);
    index.writeUInt32BE(ticks, 36 + 12 * at);
  }
  return index;
}
