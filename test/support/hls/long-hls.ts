/** A long video in pieces, made while it is asked for: real heads, and samples of counted bytes. */
import { writeIndex } from "../../../core/hls/mux.ts";
import { contentBytes } from "../content.ts";
import { type HlsServer, mediaPlaylist, pieceLines, sample } from "./hls-server.ts";

export interface LongVideo {
  pieces: number;
  /** Bytes of a piece. */
  size: number;
  /** Another one is another content in pieces of the same lengths. @default 1 */
  seed?: number;
  /** Only addresses that bear this signature give pieces. */
  signature?: string;
  /** Where it is. @default "/long" */
  folder?: string;
}

const TIMESCALE = 15_360;
const SAMPLES = 30;

/** Puts a long video of two seconds a piece on a server. */
export function serveLong(hls: HlsServer, video: LongVideo): void {
  const { pieces, size, seed = 1, signature, folder = "/long" } = video;
  const query = signature === undefined ? "" : `?signature=${signature}`;
  const signed = (bytes: () => Uint8Array) => (asked: URLSearchParams) =>
    signature === undefined || asked.get("signature") === signature ? bytes() : undefined;
  hls.files.set(
    `${folder}/init.mp4`,
    signed(() => sample("video-init.mp4")),
  );
  const names = Array.from({ length: pieces }, (_, at) => `${at}.m4s${query}`);
  const lines = [`#EXT-X-MAP:URI="init.mp4${query}"`, ...pieceLines(names)];
  hls.files.set(
    `${folder}/index.m3u8`,
    signed(() => new TextEncoder().encode(mediaPlaylist(lines))),
  );
  for (let at = 0; at < pieces; at++)
    hls.files.set(
      `${folder}/${at}.m4s`,
      signed(() => makePiece(at, size, seed)),
    );
}

function makePiece(number: number, size: number, seed: number): Uint8Array {
  const each = Math.floor(size / SAMPLES);
  const ticks = (2 * TIMESCALE) / SAMPLES;
  const samples = Array.from({ length: SAMPLES }, (_, at) => ({
    size: each,
    time: (number * SAMPLES + at) * ticks,
    decoded: (number * SAMPLES + at) * ticks,
    duration: ticks,
    isKey: at === 0,
  }));
  const index = writeIndex(number + 1, [{ id: 1, samples, delay: 0 }]);
  const data = contentBytes(seed, number * size, number * size + each * SAMPLES);
  const bytes = new Uint8Array(index.length + 8 + data.length);
  bytes.set(index);
  new DataView(bytes.buffer).setUint32(index.length, 8 + data.length);
  bytes.set(new TextEncoder().encode("mdat"), index.length + 4);
  bytes.set(data, index.length + 8);
  // A picture is one unit, whose length stands before it.
  for (let at = 0; at < SAMPLES; at++)
    new DataView(bytes.buffer).setUint32(index.length + 8 + at * each, each - 4);
  return bytes;
}
