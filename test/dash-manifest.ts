/** DASH manifests of the sample video, in each way in which they may say where its pieces are. */
import { type HlsServer, sample } from "./hls-server.ts";

const TYPES = { video: 'codecs="avc1.64000b" width="160" height="90"', audio: 'codecs="mp4a.40.2"' } as const;

export type Kind = keyof typeof TYPES;

/**
 * A manifest of pictures and sound, beside whose folder their pieces lie.
 *
 * @param segments says where the pieces of a kind are
 */
export function manifest(
  segments: (kind: Kind) => string,
  { root = "", set = "", periods = 1 } = {},
): string {
  const each = Array.from({ length: periods }, (_, at) => period(segments, { id: String(at), set }));
  return mpd(each, { root, duration: 6.021 * periods });
}

/** A manifest of Periods. */
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
  segments: (kind: Kind) => string,
  { id = "0", attributes = 'duration="PT6.021S"', more = "", set = "", prefix = "" } = {},
): string {
  const sets = (["video", "audio"] as const).map(
    (kind) => `<AdaptationSet contentType="${kind}" mimeType="${kind}/mp4" lang="en">${set}
      <Representation id="${prefix}${kind}" bandwidth="48000" ${TYPES[kind]}>${segments(kind)}</Representation></AdaptationSet>`,
  );
  return `<Period id="${id}" ${attributes}>${more}${sets.join("")}</Period>`;
}

export const template =
  (more: string, inner = "") =>
  (kind: Kind) =>
    `<SegmentTemplate initialization="../${kind}/init.mp4" media="../${kind}/$Number$.m4s" startNumber="0" ${more}>${inner}</SegmentTemplate>`;

const LINE = '<SegmentTimeline><S t="0" d="2000" r="2"/><S d="22"/></SegmentTimeline>';

export const byTimeline = (kind: Kind) =>
  template('timescale="1000"', kind === "audio" ? LINE : LINE.replace('<S d="22"/>', ""))(kind);

/** Puts one file of a kind on a server, with an index of its pieces; says where that is. */
export function byIndex({ files }: Pick<HlsServer, "files">): (kind: Kind) => string {
  return (kind) => {
    const init = sample(`${kind}-init.mp4`);
    const pieces = (kind === "audio" ? [0, 1, 2, 3] : [0, 1, 2]).map((at) => sample(`${kind}-${at}.m4s`));
    const sidx = Buffer.alloc(32 + 12 * pieces.length);
    sidx.writeUInt32BE(sidx.length, 0);
    sidx.write("sidx", 4);
    sidx.writeUInt32BE(1, 12);
    sidx.writeUInt32BE(1000, 16);
    sidx.writeUInt16BE(pieces.length, 30);
    for (const [at, { length }] of pieces.entries()) {
      sidx.writeUInt32BE(length, 32 + 12 * at);
      // Of the sound a moment is left for the last one.
      sidx.writeUInt32BE(at === 3 ? 22 : 2000, 36 + 12 * at);
    }
    files.set(`/indexed/${kind}.mp4`, new Uint8Array(Buffer.concat([init, sidx, ...pieces])));
    const index = `${init.length}-${init.length + sidx.length - 1}`;
    return `<BaseURL>../indexed/${kind}.mp4</BaseURL><SegmentBase indexRange="${index}"><Initialization range="0-${init.length - 1}"/></SegmentBase>`;
  };
}
