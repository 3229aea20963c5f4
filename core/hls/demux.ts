/** Reads a piece: the packets of its tracks, and what their decoders need to know. */
import {
  ADTS,
  type AudioCodec,
  BufferSource,
  EncodedPacket,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
  MP3,
  MP4,
  MPEG_TS,
  Mp4OutputFormat,
  type VideoCodec,
} from "mediabunny";
import { takeTurns } from "../turn.ts";
import { type AdtsPiece, FRAME_SAMPLES, isPackedAc3, isPackedSound, readAdts, timeOfTags } from "./adts.ts";
import { boxesIn, isWholePicture, lacksSamples } from "./boxes.ts";
import {
  beginningOf,
  completed,
  edgesOf,
  isUnbroken,
  type Tables,
  TS_PACKET,
  TS_START,
  tablesOf,
  unreadIn,
  unreadInHead,
  wordsOf,
} from "./transport-stream.ts";

export type PieceTrack = {
  packets: EncodedPacket[];
  /** Seconds: when the first picture is shown, or the first sound is heard. */
  first: number;
  /** Seconds: when the last one is over. */
  end: number;
  /** True if times count from the beginning of the piece, since nothing tells when that is. */
  isRelative: boolean;
} & (
  | { type: "video"; codec: VideoCodec; config: VideoDecoderConfig }
  | { type: "audio"; codec: AudioCodec; config: AudioDecoderConfig }
);

/** The parts of a first piece of MPEG-TS that later ones may rely on. */
export interface FirstPiece {
  tables: Tables;
  beginning: Uint8Array<ArrayBuffer>;
}

export function firstPieceOf(bytes: Uint8Array): FirstPiece | undefined {
  const found = isTs(bytes) ? tablesOf(bytes) : undefined;
  if (found === undefined) return undefined;
  const beginning = beginningOf(bytes, found);
  // The memory of the piece itself is used again.
  const tables = tablesOf(beginning);
  return tables && { tables, beginning };
}

/** A piece, or part of it, that can't be put into another container. */
export class UnreadablePiece extends Error {}

/** A piece of which something is missing, as of a download that broke off. */
export class IncompletePiece extends UnreadablePiece {}

export class EmptyPiece extends IncompletePiece {}

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
    bytes: Uint8Array<ArrayBuffer>,
    init: Uint8Array<ArrayBuffer> | undefined,
    types: readonly PieceTrack["type"][],
    first?: FirstPiece,
    rest: readonly Uint8Array[] = [],
  ): Promise<PieceTrack[]> {
    try {
      return await this.#readPiece(bytes, init, types, first, rest);
    } catch (error) {
      if (first === undefined || !isTs(bytes)) throw error;
      // Of a piece without parameter sets, which are known from the first one once that was read.
      const readAgain = async () => {
        await this.#initInput(first.beginning).getTracks();
        return await this.#readPiece(bytes, first.beginning, types, first, rest);
      };
      return await readAgain().catch(() => {
        throw error;
      });
    }
  }

  async #readPiece(
    bytes: Uint8Array<ArrayBuffer>,
    init: Uint8Array<ArrayBuffer> | undefined,
    types: readonly PieceTrack["type"][],
    first: FirstPiece | undefined,
    rest: readonly Uint8Array[],
  ): Promise<PieceTrack[]> {
    const packed = readAdts(bytes);
    if (packed !== undefined) return types.includes("audio") ? [this.#packedTrack(bytes, packed)] : [];
    if (isPackedAc3(bytes))
      throw new UnreadablePiece("its sound is AC-3 without a container, which isn't read");
    // The reader of MP4 leaves out without a word all that is cut off.
    if (isCutOff(bytes)) throw new IncompletePiece("it ends before its samples do");
    // The tables of MPEG-TS may come by themselves.
    const isTables = init?.[0] === TS_START && init !== first?.beginning;
    const known = first?.tables ?? (isTables ? tablesOf(init) : undefined);
    const initInput = init === undefined || isTables ? undefined : this.#initInput(init);
    const own = isTs(bytes) ? tablesOf(bytes) : undefined;
    const tables = isTs(bytes) ? (own ?? known) : undefined;
    const container = isTs(bytes) ? "MPEG-TS" : "MP4";
    const unread = isTs(bytes) ? unreadIn(bytes, tables, types) : unreadInHead(init ?? bytes, types);
    if (unread !== undefined) throw new UnreadablePiece(`${unread}, which isn't read from ${container}`);
    if (tables !== undefined && !isUnbroken(bytes, tables))
      throw new IncompletePiece("packets of it are missing");
    const lacking = own?.areFirst ? undefined : tables;
    const input = this.#open(isTs(bytes) ? completed(bytes, lacking, rest) : bytes, initInput);
    try {
      const tracks: PieceTrack[] = [];
      for (const track of await input.getTracks()) {
        if (isWanted(track, types)) tracks.push(await this.#readTrack(track));
      }
      const found = tracks.filter(({ packets }) => packets.length > 0);
      if (found.length === 0 && isEmpty(bytes, tables)) throw new EmptyPiece("nothing is in it");
      return isPackedSound(bytes) ? atTime(found, timeOfTags(bytes)) : found;
    } catch (error) {
      // Messages of the package may repeat what is in the file.
      throw error instanceof UnreadablePiece ? error : new IncompletePiece("it can't be read");
    } finally {
      input.dispose();
    }
  }

  /** The kinds of the tracks that an init announces; `undefined` where it takes a piece to know them. */
  async kindsOf(init: Uint8Array, types: readonly PieceTrack["type"][]): Promise<string[] | undefined> {
    const kinds: string[] = [];
    try {
      for (const track of await this.#initInput(init).getTracks())
        if (isWanted(track, types))
          kinds.push(kindOfTrack({ type: track.type, ...(await this.#facts(track)) } as PieceTrack));
    } catch {
      return undefined;
    }
    return kinds;
  }

  async #facts(track: InputVideoTrack | InputAudioTrack): Promise<Pick<PieceTrack, "codec" | "config">> {
    const codec = await track.getCodec();
    if (codec === null || !new Mp4OutputFormat().getSupportedCodecs().includes(codec))
      throw new UnreadablePiece(`${wordsOf(track.type)} in a format that MP4 doesn't hold`);
    const config = await track.getDecoderConfig();
    if (config === null) throw new UnreadablePiece(`${wordsOf(track.type)} in a form that can't be read`);
    // The codec is one of the track's own type.
    return { codec, config } as Pick<PieceTrack, "codec" | "config">;
  }

  async #readTrack(track: InputVideoTrack | InputAudioTrack): Promise<PieceTrack> {
    const { codec, config } = await this.#facts(track);
    const sink = new EncodedPacketSink(track);
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
    if (size !== undefined && !packets.every(({ data }) => isWholePicture(data, size)))
      throw new IncompletePiece("bytes of its pictures are missing");
    // A second run within a piece would be put among the first.
    const keys = packets.filter((packet) => packet.type === "key");
    if (keys.some(({ timestamp }, at) => timestamp < (keys[at - 1]?.timestamp ?? timestamp)))
      throw new IncompletePiece("its times run backwards");
    return { type: track.type, codec, config, ...extentOf(packets), isRelative: false } as PieceTrack;
  }

  #packedTrack(bytes: Uint8Array, { config, frames, problem }: AdtsPiece): PieceTrack {
    if (problem !== undefined) throw new IncompletePiece(problem);
    const { objectType, sampleRate, numberOfChannels } = config;
    const duration = FRAME_SAMPLES / sampleRate;
    const time = timeOfTags(bytes);
    const first = time ?? 0;
    const packets = frames.map(
      ([start, end], at) =>
        new EncodedPacket(bytes.subarray(start, end), "key", first + at * duration, duration, at),
    );
    return {
      type: "audio",
      codec: "aac",
      config: { codec: `mp4a.40.${objectType}`, sampleRate, numberOfChannels },
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
    const formats = [MPEG_TS, MP4, ADTS, MP3];
    return new Input({ source: new BufferSource(bytes), formats, ...(initInput && { initInput }) });
  }
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
  return 1 + ((new Uint8Array(bufferOf(description))[place] ?? 0) & 3);
}

function isTs(bytes: Uint8Array): boolean {
  return bytes[0] === TS_START && (bytes[TS_PACKET] ?? TS_START) === TS_START;
}

/** True if a piece holds nothing of any track; one of MP4 may say so itself. */
function isEmpty(bytes: Uint8Array, tables: Tables | undefined): boolean {
  if (tables !== undefined) return edgesOf(bytes, tables).length === 0;
  return !isPackedSound(bytes) && [...boxesIn(bytes)].every(({ type }) => type !== "moof" && type !== "moov");
}

function isCutOff(bytes: Uint8Array): boolean {
  if (!isTs(bytes)) return lacksSamples(bytes);
  const rest = bytes.length % TS_PACKET;
  return rest > 0 && bytes[bytes.length - rest] === TS_START;
}

function isWanted(
  track: InputTrack,
  types: readonly PieceTrack["type"][],
): track is InputVideoTrack | InputAudioTrack {
  return (track.isVideoTrack() || track.isAudioTrack()) && types.some((type) => type === track.type);
}

/**
 * Names all that two tracks must share to be parts of one. Parameters that lie in the packets themselves may change, and the
 * size of the pictures with them, as players take it.
 */
export function kindOfTrack({ type, codec, config }: Pick<PieceTrack, "type" | "codec" | "config">): string {
  const { description } = config;
  const bytes = description === undefined ? [] : Array.from(new Uint8Array(bufferOf(description)));
  const { codedWidth, codedHeight } = config as VideoDecoderConfig;
  const { sampleRate, numberOfChannels } = config as AudioDecoderConfig;
  const size = isMarked({ type, codec, config }) ? [] : [codedWidth, codedHeight];
  return JSON.stringify([type, codec, type === "video" ? size : [sampleRate, numberOfChannels], bytes]);
}

/** True for pictures that hold their parameters, and whose units are marked (Annex B of H.264 and H.265), as in MPEG-TS. */
export function isMarked({ type, codec, config }: Pick<PieceTrack, "type" | "codec" | "config">): boolean {
  return type === "video" && config.description === undefined && (codec === "avc" || codec === "hevc");
}

function bufferOf(bytes: AllowSharedBufferSource): ArrayBufferLike {
  return ArrayBuffer.isView(bytes)
    ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    : bytes;
}
