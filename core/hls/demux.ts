/**
 * Reads a piece: the packets of its tracks, and what their decoders need to know.
 *
 * @module
 */

import type {
  AudioCodec,
  EncodedPacket,
  Input,
  InputAudioTrack,
  InputTrack,
  InputVideoTrack,
  VideoCodec,
} from "mediabunny";
import { type AdtsPiece, FRAME_SAMPLES, isPacked, readAdts, timeOfTags } from "./adts.ts";
import { lacksSamples } from "./boxes.ts";
import type { Mediabunny } from "./mediabunny.ts";
import { countPictures, type FirstPicture, TS_PACKET, TS_START } from "./transport-stream.ts";

/** A track of a piece. */
export type PieceTrack = {
  packets: EncodedPacket[];
  /** Seconds: when the first picture is shown, or the first sound is heard. */
  first: number;
  /** Seconds: when the last one is over. */
  end: number;
  /** Whether times count from the beginning of the piece, since nothing tells when that is. */
  isRelative: boolean;
} & (
  | { type: "video"; codec: VideoCodec; config: VideoDecoderConfig }
  | { type: "audio"; codec: AudioCodec; config: AudioDecoderConfig }
);

/** A piece, or part of it, that can't be put into another container. */
export class UnreadablePiece extends Error {}

/** Reads pieces that may share their init. */
export class Demuxer {
  readonly #bunny: Mediabunny;
  #init: { bytes: Uint8Array; input: Input } | undefined;

  constructor(bunny: Mediabunny) {
    this.#bunny = bunny;
  }

  /**
   * Reads all packets of a piece.
   *
   * @param types the tracks that are wanted; others may be in any format
   * @param first what the first piece begins with, for pieces of MPEG-TS that leave out parameter sets
   * @throws {UnreadablePiece} where it is no video, or one that can't be put into an MP4 as it is
   */
  async read(
    bytes: Uint8Array<ArrayBuffer>,
    init: Uint8Array<ArrayBuffer> | undefined,
    types: readonly PieceTrack["type"][],
    first?: FirstPicture,
  ): Promise<PieceTrack[]> {
    try {
      return await this.#readPiece(bytes, init, types);
    } catch (error) {
      const count = first === undefined || !isTs(bytes) ? 0 : countPictures(bytes, first.stream);
      if (first === undefined || count === 0) throw error;
      const joined = new Uint8Array(await new Blob([first.bytes, bytes]).arrayBuffer());
      const tracks = await this.#readPiece(joined, init, types).catch(() => {
        throw error;
      });
      return tracks.map((track) => {
        if (track.type !== "video") return track;
        // Where a picture is more than one packet or less, those of the piece can't be told.
        if (track.packets.length !== count + 1) throw error;
        return { ...track, ...extentOf(track.packets.slice(1)) };
      });
    }
  }

  async #readPiece(
    bytes: Uint8Array<ArrayBuffer>,
    init: Uint8Array<ArrayBuffer> | undefined,
    types: readonly PieceTrack["type"][],
  ): Promise<PieceTrack[]> {
    const packed = readAdts(bytes);
    if (packed !== undefined) return types.includes("audio") ? [this.#packedTrack(bytes, packed)] : [];
    // What is cut off would be left out without a word.
    if (isCutOff(bytes)) throw new UnreadablePiece("it ends before its samples do");
    const { Input, BufferSource } = this.#bunny;
    // The tables of MPEG-TS are a beginning like any other.
    const isBeginning = init?.[0] === TS_START;
    const input = new Input({
      source: new BufferSource(isBeginning ? await new Blob([init, bytes]).arrayBuffer() : bytes),
      formats: this.#formats(),
      ...(init !== undefined && !isBeginning && { initInput: this.#initInput(init) }),
    });
    try {
      const tracks: PieceTrack[] = [];
      for (const track of await input.getTracks()) {
        if (isWanted(track, types)) tracks.push(await this.#readTrack(track));
      }
      const found = tracks.filter(({ packets }) => packets.length > 0);
      return isPacked(bytes) ? atTime(found, timeOfTags(bytes)) : found;
    } catch (error) {
      // Messages of the package may repeat what is in the file.
      throw error instanceof UnreadablePiece ? error : new UnreadablePiece("it can't be read");
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
    const { Mp4OutputFormat } = this.#bunny;
    const codec = await track.getCodec();
    const words = track.type === "video" ? "pictures" : "sound";
    if (codec === null || !new Mp4OutputFormat().getSupportedCodecs().includes(codec))
      throw new UnreadablePiece(`its ${words} are in a format that MP4 doesn't hold`);
    const config = await track.getDecoderConfig();
    if (config === null) throw new UnreadablePiece(`its ${words} can't be read`);
    // The codec is one of the track's own type.
    return { codec, config } as Pick<PieceTrack, "codec" | "config">;
  }

  async #readTrack(track: InputVideoTrack | InputAudioTrack): Promise<PieceTrack> {
    const { EncodedPacketSink } = this.#bunny;
    const { codec, config } = await this.#facts(track);
    const sink = new EncodedPacketSink(track);
    const packets: EncodedPacket[] = [];
    for (let packet = await sink.getFirstPacket(); packet !== null; packet = await sink.getNextPacket(packet))
      packets.push(packet);
    return { type: track.type, codec, config, ...extentOf(packets), isRelative: false } as PieceTrack;
  }

  #packedTrack(bytes: Uint8Array, { config, frames, problem }: AdtsPiece): PieceTrack {
    if (problem !== undefined) throw new UnreadablePiece(problem);
    const { EncodedPacket } = this.#bunny;
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
    if (this.#init?.bytes !== bytes) {
      const { Input, BufferSource } = this.#bunny;
      const input = new Input({ source: new BufferSource(bytes), formats: this.#formats() });
      this.#init = { bytes, input };
    }
    return this.#init.input;
  }

  #formats() {
    const { ADTS, MP3, MP4, MPEG_TS } = this.#bunny;
    return [MPEG_TS, MP4, ADTS, MP3];
  }
}

/** Sound without a container, whose times count from zero, at the time that its tags tell. */
function atTime(tracks: PieceTrack[], time: number | undefined): PieceTrack[] {
  if (time === undefined) return tracks.map((track) => ({ ...track, isRelative: true }));
  return tracks.map((track) => ({
    ...track,
    packets: track.packets.map((packet) => packet.clone({ timestamp: packet.timestamp + time })),
    first: track.first + time,
    end: track.end + time,
  }));
}

/** Packets, and when the first of them begins and the last one ends. */
function extentOf(packets: EncodedPacket[]): Pick<PieceTrack, "packets" | "first" | "end"> {
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp, duration } of packets) {
    first = Math.min(first, timestamp);
    end = Math.max(end, timestamp + duration);
  }
  return { packets, first, end };
}

function isTs(bytes: Uint8Array): boolean {
  return bytes[0] === TS_START && (bytes[TS_PACKET] ?? TS_START) === TS_START;
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

/** What two tracks must share to be parts of one. Parameters that lie in the packets themselves may change. */
export function kindOfTrack({ type, codec, config }: Pick<PieceTrack, "type" | "codec" | "config">): string {
  const { description } = config;
  const bytes = description === undefined ? [] : Array.from(new Uint8Array(bufferOf(description)));
  const facts =
    type === "video"
      ? [(config as VideoDecoderConfig).codedWidth, (config as VideoDecoderConfig).codedHeight]
      : [(config as AudioDecoderConfig).sampleRate, (config as AudioDecoderConfig).numberOfChannels];
  return JSON.stringify([type, codec, facts, bytes]);
}

function bufferOf(bytes: AllowSharedBufferSource): ArrayBufferLike {
  return ArrayBuffer.isView(bytes)
    ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    : bytes;
}
