/**
 * The package that reads and writes containers: fetched when a playlist is opened, since nothing else needs it.
 *
 * @module
 */

import { InputError } from "../errors.ts";

/** What is used of the package, by name, so that bundlers leave out the rest. */
export type Mediabunny = Pick<
  typeof import("mediabunny"),
  | "ADTS"
  | "BufferSource"
  | "EncodedAudioPacketSource"
  | "EncodedPacket"
  | "EncodedPacketSink"
  | "EncodedVideoPacketSource"
  | "Input"
  | "MP3"
  | "MP4"
  | "MPEG_TS"
  | "Mp4OutputFormat"
  | "NullTarget"
  | "Output"
>;

/**
 * Loads the package.
 *
 * @throws {InputError} `invalid-source` where it isn't installed.
 */
export async function loadMediabunny(): Promise<Mediabunny> {
  try {
    const {
      ADTS,
      BufferSource,
      EncodedAudioPacketSource,
      EncodedPacket,
      EncodedPacketSink,
      EncodedVideoPacketSource,
      Input,
      MP3,
      MP4,
      MPEG_TS,
      Mp4OutputFormat,
      NullTarget,
      Output,
    } = await import("mediabunny");
    return {
      ADTS,
      BufferSource,
      EncodedAudioPacketSource,
      EncodedPacket,
      EncodedPacketSink,
      EncodedVideoPacketSource,
      Input,
      MP3,
      MP4,
      MPEG_TS,
      Mp4OutputFormat,
      NullTarget,
      Output,
    };
  } catch {
    throw new InputError(
      "invalid-source",
      "Cannot open a playlist: the package mediabunny isn't installed here. Add it, version 1.61 or newer",
    );
  }
}
