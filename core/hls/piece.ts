/** A piece: its bytes, what is told of it, and the packets of its tracks. */
import type { AudioCodec, VideoCodec } from "mediabunny";
import type { SoundCodec } from "./formats.ts";
import type { Problem } from "./playlist.ts";
import { packedCodecOf } from "./sound-frames.ts";
import { type Scan, scanPackets, startOfTs, type Tables, tablesOf } from "./transport-stream.ts";

/** A picture or a frame of sound. */
export interface Packet {
  data: Uint8Array;
  type: "key" | "delta";
  /** Seconds. */
  timestamp: number;
  duration: number;
  /** The runs of the data that MP4 holds. @default all of the data */
  runs?: readonly Uint8Array[];
  /** Of sound in frames that tell it. */
  config?: AudioDecoderConfig;
}

export type PieceTrack = {
  /** As its container numbers it. */
  number: number;
  packets: Packet[];
  /** Seconds: when the first picture is shown, or the first sound is heard, and when the last one is over. */
  first: number;
  end: number;
  /** The box of the track in the head of an MP4. */
  trak?: Uint8Array | undefined;
  /** True if times count from the beginning of the piece, since nothing tells when that is. */
  isRelative: boolean;
} & (
  | { type: "video"; codec: VideoCodec; config: VideoDecoderConfig }
  | { type: "audio"; codec: AudioCodec; config: AudioDecoderConfig }
);

export type TrackFacts = Pick<PieceTrack, "type" | "codec" | "config" | "trak">;

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

/** The description that the first piece of a lane has for the others, which may leave it out. */
export interface FirstPiece {
  /** Of MPEG-TS. */
  tables?: Tables | undefined;
  scan?: Scan;
  /** Of sound without a container. */
  packed?: SoundCodec | undefined;
  /** True if pictures are to hold the parameters that their heads tell, since there are several heads. */
  hasParameters?: boolean;
}

export function firstPieceOf(piece: PieceBytes): FirstPiece {
  if (startOfTs(piece.bytes) === undefined) return { packed: packedCodecOf(piece.bytes) };
  const scan = scanOf(piece);
  return { scan, tables: tablesOf(piece.bytes, scan) };
}

/** The bytes that a piece begins with of a picture or a frame of the piece before. */
export interface Lead {
  bytes: Uint8Array;
  /** True if nothing else is in it. */
  isAll: boolean;
}

export interface Rest {
  bytes: Uint8Array;
  /** True if there is a next piece that goes on with this one. */
  goesOn: boolean;
}

export interface PieceReading {
  first?: FirstPiece | undefined;
  /** Seconds that the piece plays, as its playlist says. */
  seconds?: number | undefined;
  /** True once it was fetched a second time. */
  isAgain?: boolean;
  /**
   * Gives what the next pieces begin with of this one's last picture or frame.
   *
   * @param isNeeded true where it is known to be cut off
   */
  rest?: (isNeeded: boolean, leadIn: (piece: PieceBytes) => Lead | undefined) => Promise<Rest>;
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
