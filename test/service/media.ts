/** Reads what a video consists of. */
import { ALL_FORMATS, FilePathSource, Input, type InputTrack } from "mediabunny";
import type { Asset } from "../../core/mod.ts";

type VideoSpec = NonNullable<Asset["videoSpec"]>;
type Track = NonNullable<VideoSpec["tracks"]>[number];

const formats: Record<string, string> = {
  MP4: "mp4",
  "QuickTime File Format": "mov",
  WebM: "webm",
  Matroska: "matroska",
};

const codecs: Record<string, string> = { avc: "h264", hevc: "hevc" };

// Enough packets for a rate, without reading a long video whole.
const SAMPLE = 200;

export function openVideo(path: string): Input<FilePathSource> {
  return new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
}

/** @throws when the file is not a video in a known container */
export async function describeVideo(path: string): Promise<VideoSpec> {
  const input = openVideo(path);
  try {
    const format = (await input.getFormat()).name;
    const tracks = await Promise.all((await input.getTracks()).map(describeTrack));
    if (!tracks.some(({ type }) => type === "video")) throw new Error("Cannot find a video track");
    return {
      format: formats[format] ?? format.toLowerCase(),
      duration: round(await input.computeDuration()),
      bitrate: tracks.reduce((sum, { bitrate = 0 }) => sum + bitrate, 0),
      tracks,
    };
  } finally {
    input.dispose();
  }
}

async function describeTrack(track: InputTrack): Promise<Track> {
  const codec = await track.getCodec();
  const stats = await track.computePacketStats(SAMPLE);
  const described: Track = {
    type: track.type,
    startTime: round(await track.getFirstTimestamp()),
    duration: round(await track.computeDuration()),
    bitrate: Math.round(stats.averageBitrate),
  };
  if (codec !== null) described.codec = codecs[codec] ?? codec;
  if (track.isVideoTrack()) {
    described.width = await track.getDisplayWidth();
    described.height = await track.getDisplayHeight();
    described.fps = round(stats.averagePacketRate);
  }
  if (track.isAudioTrack()) {
    described.channels = await track.getNumberOfChannels();
    described.sampleRate = await track.getSampleRate();
  }
  return described;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
