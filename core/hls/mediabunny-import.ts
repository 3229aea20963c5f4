/** Imports what is used of the package mediabunny, which may be missing. */
import type * as Package from "mediabunny";

type Reading = "BufferSource" | "EncodedPacketSink" | "Input" | "MP4" | "MPEG_TS";
type Writing = "EncodedAudioPacketSource" | "EncodedPacket" | "EncodedVideoPacketSource" | "Mp4OutputFormat";

export type Mediabunny = Pick<typeof Package, Reading | Writing | "NullTarget" | "Output">;

export async function importMediabunny(): Promise<Mediabunny | undefined> {
  try {
    // Bundlers let a package be missing where its import is in a `try`, and leave out what isn't named here.
    const { BufferSource, EncodedPacketSink, Input, MP4, MPEG_TS } = await import("mediabunny");
    const { EncodedAudioPacketSource, EncodedPacket, EncodedVideoPacketSource } = await import("mediabunny");
    const { Mp4OutputFormat, NullTarget, Output } = await import("mediabunny");
    const reading = { BufferSource, EncodedPacketSink, Input, MP4, MPEG_TS };
    const packets = { EncodedAudioPacketSource, EncodedPacket, EncodedVideoPacketSource };
    return { ...reading, ...packets, Mp4OutputFormat, NullTarget, Output };
  } catch {
    return undefined;
  }
}
