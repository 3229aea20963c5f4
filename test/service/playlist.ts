/** Makes an HLS playlist of a video, by rewrapping it: nothing is transcoded. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Conversion, FilePathTarget, Mp4OutputFormat, Output } from "mediabunny";
import { openVideo } from "./media.ts";

// What every HLS player takes in fragmented MP4.
const playable = new Set(["avc", "hevc", "aac"]);

const SEGMENT_SECONDS = 4;

const segments = "segments.mp4";

interface Fragment {
  start: number;
  end: number;
  timestamp: number;
}

/** Writes `index.m3u8` and `segments.mp4`; false when the codecs don't allow it. */
export async function writePlaylist(path: string, directory: string): Promise<boolean> {
  const input = openVideo(path);
  try {
    const codecs = await Promise.all((await input.getTracks()).map((track) => track.getCodec()));
    if (!codecs.every((codec) => codec !== null && playable.has(codec))) return false;

    const fragments: Fragment[] = [];
    const format = new Mp4OutputFormat({
      fastStart: "fragmented",
      minimumFragmentDuration: SEGMENT_SECONDS,
      onMoof(_data, position, timestamp) {
        fragments.push({ start: position, end: position, timestamp });
      },
      onMdat(data, position) {
        const last = fragments.at(-1);
        if (last !== undefined) last.end = position + data.length;
      },
    });
    const output = new Output({ format, target: new FilePathTarget(join(directory, segments)) });
    const conversion = await Conversion.init({ input, output, showWarnings: false });
    if (!conversion.isValid || conversion.discardedTracks.length > 0) return false;
    await conversion.execute();
    const duration = await input.computeDuration();
    await writeFile(join(directory, "index.m3u8"), formatPlaylist(fragments, duration));
    return true;
  } finally {
    input.dispose();
  }
}

/** Each fragment begins with a moof; what lies before the first one initialises the player. */
function formatPlaylist(fragments: Fragment[], duration: number): string {
  const lengths = fragments.map(({ timestamp }, index) => {
    return Math.max(0.001, (fragments[index + 1]?.timestamp ?? duration) - timestamp);
  });
  const lines = [
    "#EXTM3U",
    "#EXT-X-VERSION:7",
    `#EXT-X-TARGETDURATION:${Math.ceil(Math.max(1, ...lengths))}`,
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    `#EXT-X-MAP:URI="${segments}",BYTERANGE="${fragments[0]?.start ?? 0}@0"`,
  ];
  for (const [index, { start, end }] of fragments.entries()) {
    lines.push(
      `#EXTINF:${lengths[index]?.toFixed(3)},`,
      `#EXT-X-BYTERANGE:${end - start}@${start}`,
      segments,
    );
  }
  return `${[...lines, "#EXT-X-ENDLIST"].join("\n")}\n`;
}
