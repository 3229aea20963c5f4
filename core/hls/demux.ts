/** Reads a piece: the packets of its tracks, and what their decoders need to know. */
import type {
  AudioCodec,
  EncodedPacket,
  Input,
  InputAudioTrack,
  InputTrack,
  InputVideoTrack,
  VideoCodec,
} from "mediabunny";
import { bytesOf } from "../source/bytes.ts";
import { takeTurns } from "../time/turn.ts";
import { type AdtsPiece, formatOfFrame, isPackedAc3, isPackedSound, readAdts, timeOfTags } from "./adts.ts";
import { boxesIn, isProtected, isWholePicture, lacksSamples } from "./boxes.ts";
import { FORMAT_CHANGES, formatOf, type Kind, unreadIn, unreadInHead, wordsOf } from "./formats.ts";
import { loadMediabunny, mediabunny } from "./mediabunny.ts";
import { PROTECTED, type Problem } from "./playlist.ts";
import {
  beginningOf,
  beginningOfStream,
  completed,
  countersOf,
  isTs,
  isUnbroken,
  type Scan,
  scanPackets,
  type Tables,
  TS_PACKET,
  TS_START,
  tablesOf,
} from "./transport-stream.ts";

export type PieceTrack = {
  /** As its container numbers it. */
  number: number;
  packets: EncodedPacket[];
  /** Seconds: when the first picture is shown, or the first sound is heard, and when the last one is over. */
  first: number;
  end: number;
  /** True if times count from the beginning of the piece, since nothing tells when that is. */
  isRelative: boolean;
} & (
  | { type: "video"; codec: VideoCodec; config: VideoDecoderConfig }
  | { type: "audio"; codec: AudioCodec; config: AudioDecoderConfig }
);

type TrackFacts = Pick<PieceTrack, "type" | "codec" | "config">;

export interface PieceBytes {
  bytes: Uint8Array<ArrayBuffer>;
  /** The bytes that the piece is read with: the same object for all pieces that share them. */
  init: Uint8Array<ArrayBuffer> | undefined;
  /** The packets of a piece of MPEG-TS, once somebody has asked for them. */
  scan?: Scan;
}

export function scanOf(piece: PieceBytes): Scan {
  piece.scan ??= scanPackets(piece.bytes);
  return piece.scan;
}

export interface FirstPiece {
  tables: Tables;
  scan: Scan;
  beginning: Uint8Array<ArrayBuffer>;
}

export function firstPieceOf(bytes: Uint8Array): FirstPiece | undefined {
  const found = isTs(bytes) ? tablesOf(bytes) : undefined;
  if (found === undefined) return undefined;
  const beginning = beginningOf(bytes, found);
  // The memory of the piece itself is used again.
  const tables = tablesOf(beginning);
  return tables && { tables, scan: scanPackets(beginning), beginning };
}

export class UnreadablePiece extends Error {
  readonly code: Problem["code"];

  constructor(message: string, code: Problem["code"] = "unsupported-video") {
    super(message);
    this.code = code;
  }
}

export class IncompletePiece extends UnreadablePiece {}

export class EmptyPiece extends IncompletePiece {}

const CUT_OFF = "it ends before its samples do";
const UNKNOWN = "it can't be read";
const NOTHING = "nothing is in it";
/** Bytes of zeros that are no sample any more: one of silence may be a byte. */
const LEAST_HOLE = 8;

/** Finding one takes about a millisecond, for which a request that is sent meanwhile waits. */
const PACKETS_PER_TURN = 8;

export class Demuxer {
  #init: { bytes: Uint8Array; input: Input } | undefined;

  /**
   * @param types the tracks that are wanted; others may be in any format
   * @param first the first piece, for pieces of MPEG-TS that leave out tables or parameter sets
   * @param rest what the next piece of MPEG-TS begins with of this one's last access units
   * @throws {UnreadablePiece} where it is no video, or one that can't be put into an MP4 as it is
   */
  async read(
    piece: PieceBytes,
    types: readonly Kind[],
    first?: FirstPiece,
    rest: readonly Uint8Array[] = [],
  ): Promise<PieceTrack[]> {
    await loadMediabunny();
    const { bytes, init } = piece;
    if (isTs(bytes)) return await this.#readTs(piece, types, first, rest);
    const packed = readAdts(bytes);
    if (packed !== undefined) return types.includes("audio") ? [this.#packedTrack(bytes, packed)] : [];
    if (isPackedAc3(bytes))
      throw new UnreadablePiece("its sound is AC-3 without a container, which isn't read");
    // The reader of MP4 leaves out without a word all that is cut off.
    if (lacksSamples(bytes)) throw new IncompletePiece(CUT_OFF);
    const head = init ?? bytes;
    checkHead(head, types);
    const found = await this.#tracksIn(bytes, types, init && this.#initInput(init));
    if (isPackedSound(bytes)) return atTime(found, timeOfTags(bytes));
    const holdsAny = [...boxesIn(bytes)].some(({ type }) => type === "moof" || type === "moov");
    if (found.length === 0 && !holdsAny) throw new EmptyPiece(NOTHING);
    return found;
  }

  async #readTs(
    piece: PieceBytes,
    types: readonly Kind[],
    first: FirstPiece | undefined,
    rest: readonly Uint8Array[],
  ): Promise<PieceTrack[]> {
    const { bytes, init } = piece;
    const cut = bytes.length % TS_PACKET;
    if (cut > 0 && bytes[bytes.length - cut] === TS_START) throw new IncompletePiece(CUT_OFF);
    const scan = scanOf(piece);
    const own = tablesOf(bytes, scan);
    // Tables may come by themselves, as an init.
    const tables = own ?? first?.tables ?? (init && tablesOf(init));
    if (tables === undefined) throw new IncompletePiece(UNKNOWN);
    const unread = unreadIn(tables.streams, types, (number) => beginningOfStream(bytes, scan, number));
    if (unread !== undefined) throw new UnreadablePiece(`${unread}, which isn't read from MPEG-TS`);
    const isWantedLater = own?.later.some((stream) => types.some((type) => type === formatOf(stream)?.[0]));
    if (isWantedLater) throw new UnreadablePiece(FORMAT_CHANGES);
    const facts = countersOf(scan, tables);
    if (facts.some(({ isEncrypted }) => isEncrypted))
      throw new UnreadablePiece(PROTECTED.message, PROTECTED.code);
    if (!isUnbroken(scan, facts)) throw new IncompletePiece("packets of it are missing");
    const before = own?.areFirst ? [] : tables.packets;
    const whole = completed(bytes, before, facts, rest);
    const found = await this.#tracksIn(whole, types).catch(async (error: unknown) => {
      if (first === undefined) throw error;
      // A piece may leave out parameter sets, which are known from the first one once that was read.
      const known = this.#initInput(first.beginning);
      const again = known.getTracks().then(() => this.#tracksIn(whole, types, known));
      return await again.catch(() => {
        throw error;
      });
    });
    if (found.length === 0 && facts.length === 0) throw new EmptyPiece(NOTHING);
    return found;
  }

  async #tracksIn(
    bytes: Uint8Array<ArrayBuffer>,
    types: readonly Kind[],
    initInput?: Input,
  ): Promise<PieceTrack[]> {
    const input = this.#open(bytes, initInput);
    try {
      const tracks: PieceTrack[] = [];
      for (const track of await input.getTracks())
        if (isWanted(track, types)) tracks.push(await this.#readTrack(track));
      return tracks.filter(({ packets }) => packets.length > 0);
    } catch (error) {
      // Messages of the package may repeat what is in the file.
      throw error instanceof UnreadablePiece ? error : new IncompletePiece(UNKNOWN);
    } finally {
      input.dispose();
    }
  }

  /** The kinds of the tracks that an init announces; `undefined` where it takes a piece to know them. */
  async kindsOf(init: Uint8Array, types: readonly Kind[]): Promise<string[] | undefined> {
    checkHead(init, types);
    const kinds: string[] = [];
    try {
      for (const track of await this.#initInput(init).getTracks())
        if (isWanted(track, types)) kinds.push(kindOfTrack(await this.#facts(track)));
    } catch {
      return undefined;
    }
    return kinds;
  }

  async #facts(track: InputVideoTrack | InputAudioTrack): Promise<TrackFacts> {
    const codec = await track.getCodec();
    if (codec === null || !new mediabunny.Mp4OutputFormat().getSupportedCodecs().includes(codec))
      throw new UnreadablePiece(`${wordsOf(track.type)} in a format that MP4 doesn't hold`);
    const config = await track.getDecoderConfig();
    if (config === null) throw new UnreadablePiece(`${wordsOf(track.type)} in a form that can't be read`);
    // The codec is one of the track's own type.
    return { type: track.type, codec, config } as TrackFacts;
  }

  async #readTrack(track: InputVideoTrack | InputAudioTrack): Promise<PieceTrack> {
    const facts = await this.#facts(track);
    const { codec, config } = facts;
    const sink = new mediabunny.EncodedPacketSink(track);
    const packets: EncodedPacket[] = [];
    const takeTurn = takeTurns(PACKETS_PER_TURN);
    for (
      let packet = await sink.getFirstPacket();
      packet !== null;
      packet = await sink.getNextPacket(packet)
    ) {
      packets.push(packet);
      await takeTurn();
    }
    const size = lengthSizeIn(codec, config);
    const isWhole = ({ data }: EncodedPacket) =>
      size === undefined ? codec.startsWith("pcm") || !isHollow(data) : isWholePicture(data, size);
    if (!packets.every(isWhole))
      throw new IncompletePiece(`bytes of its ${track.type === "video" ? "pictures" : "sound"} are missing`);
    if (codec === "eac3" && packets.some(({ data }) => isFurtherSubstream(data)))
      throw new UnreadablePiece(
        "its sound is in E-AC-3 of several substreams, which isn't read from MPEG-TS",
      );
    const isFramed = codec === "aac" && config.description === undefined;
    if (isFramed && new Set(packets.map(({ data }) => formatOfFrame(data))).size > 1)
      throw new UnreadablePiece(FORMAT_CHANGES);
    // A second run within a piece would be put among the first.
    const keys = packets.filter((packet) => packet.type === "key");
    if (keys.some(({ timestamp }, at) => timestamp < (keys[at - 1]?.timestamp ?? timestamp)))
      throw new IncompletePiece("its times run backwards");
    return { number: track.id, ...facts, ...extentOf(packets), isRelative: false } as PieceTrack;
  }

  #packedTrack(bytes: Uint8Array, { config, frames, duration, problem }: AdtsPiece): PieceTrack {
    if (problem !== undefined) throw new IncompletePiece(problem);
    const time = timeOfTags(bytes);
    const first = time ?? 0;
    const packets = frames.map(
      ([start, end], at) =>
        new mediabunny.EncodedPacket(bytes.subarray(start, end), "key", first + at * duration, duration, at),
    );
    return {
      number: 1,
      type: "audio",
      codec: "aac",
      config,
      packets,
      first,
      end: first + frames.length * duration,
      isRelative: time === undefined,
    };
  }

  #initInput(bytes: Uint8Array): Input {
    if (this.#init?.bytes !== bytes) this.#init = { bytes, input: this.#open(bytes) };
    return this.#init.input;
  }

  #open(bytes: Uint8Array, initInput?: Input): Input {
    const { ADTS, BufferSource, Input, MP3, MP4, MPEG_TS } = mediabunny;
    const formats = isTs(bytes) ? [MPEG_TS] : [MP4, ADTS, MP3];
    return new Input({ source: new BufferSource(bytes), formats, ...(initInput && { initInput }) });
  }
}

function checkHead(head: Uint8Array, types: readonly Kind[]): void {
  if (isProtected(head)) throw new UnreadablePiece(PROTECTED.message, PROTECTED.code);
  const unread = unreadInHead(head, types);
  if (unread !== undefined) throw new UnreadablePiece(`${unread}, which isn't read from MP4`);
}

/** Sound without a container, whose times count from zero, at the time that its tags tell. */
function atTime(tracks: PieceTrack[], time: number | undefined): PieceTrack[] {
  return tracks.map((track) => {
    const packets = track.packets.map((each) => each.clone({ timestamp: each.timestamp + (time ?? 0) }));
    return { ...track, ...extentOf(packets), isRelative: time === undefined };
  });
}

function extentOf(packets: EncodedPacket[]): Pick<PieceTrack, "packets" | "first" | "end"> {
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp, duration } of packets) {
    first = Math.min(first, timestamp);
    end = Math.max(end, timestamp + duration);
  }
  return { packets, first, end };
}

/** Bytes of the length before each unit of a picture; `undefined` where none is there. */
function lengthSizeIn(codec: string, { description }: PieceTrack["config"]): number | undefined {
  const place = codec === "avc" ? 4 : codec === "hevc" ? 21 : undefined;
  if (place === undefined || description === undefined) return undefined;
  return 1 + ((bytesOf(description)[place] ?? 0) & 3);
}

/** True for zeros in place of a sample, as holes of a cache give them. */
function isHollow(data: Uint8Array): boolean {
  return data.length >= LEAST_HOLE && data.every((byte) => byte === 0);
}

/** True for a frame of E-AC-3 that is heard with the one before: MP4 holds both in one sample. */
function isFurtherSubstream([, , third = 0]: Uint8Array): boolean {
  return third >> 6 === 1 || ((third >> 3) & 7) > 0;
}

function isWanted(track: InputTrack, types: readonly Kind[]): track is InputVideoTrack | InputAudioTrack {
  return (track.isVideoTrack() || track.isAudioTrack()) && types.some((type) => type === track.type);
}

/** All that two tracks must share to be parts of one. Parameters in packets, and sizes with them, may change. */
export function kindOfTrack({ type, codec, config }: TrackFacts): string {
  const { description } = config;
  const bytes = description === undefined ? [] : [...bytesOf(description)];
  const { codedWidth, codedHeight } = config as VideoDecoderConfig;
  const { sampleRate, numberOfChannels } = config as AudioDecoderConfig;
  const size = isMarked({ type, codec, config }) ? [] : [codedWidth, codedHeight];
  return JSON.stringify([type, codec, type === "video" ? size : [sampleRate, numberOfChannels], bytes]);
}

/** True for pictures that hold their parameters, and whose units are marked (Annex B of H.264 and H.265), as in MPEG-TS. */
export function isMarked({ type, codec, config }: TrackFacts): boolean {
  return type === "video" && config.description === undefined && (codec === "avc" || codec === "hevc");
}
