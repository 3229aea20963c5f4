/** Makes a longer video of a sample by repeating it, so that an upload of it takes long enough to be seen. */
import {
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  type InputAudioTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
} from "mediabunny";
import { openVideo } from "./media.ts";

/** Writes the video at `from`, repeated, to `to`; nothing is transcoded. */
export async function writeLongVideo(from: string, to: string, times: number): Promise<void> {
  const input = openVideo(from);
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  const duration = await input.computeDuration();
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: false }),
    target: new FilePathTarget(to),
  });
  const writers: (() => Promise<void>)[] = [];
  const videoCodec = await video?.getCodec();
  if (video && videoCodec) {
    const source = new EncodedVideoPacketSource(videoCodec);
    output.addVideoTrack(source);
    const decoderConfig = await video.getDecoderConfig();
    writers.push(() =>
      repeat(
        video,
        (packet) => source.add(packet, decoderConfig ? { decoderConfig } : undefined),
        times,
        duration,
      ),
    );
  }
  const audioCodec = await audio?.getCodec();
  if (audio && audioCodec) {
    const source = new EncodedAudioPacketSource(audioCodec);
    output.addAudioTrack(source);
    const decoderConfig = await audio.getDecoderConfig();
    writers.push(() =>
      repeat(
        audio,
        (packet) => source.add(packet, decoderConfig ? { decoderConfig } : undefined),
        times,
        duration,
      ),
    );
  }
  await output.start();
  await Promise.all(writers.map((write) => write()));
  await output.finalize();
  input.dispose();
}

type Packet = NonNullable<Awaited<ReturnType<EncodedPacketSink["getFirstPacket"]>>>;

async function repeat(
  track: InputVideoTrack | InputAudioTrack,
  add: (packet: Packet) => Promise<void>,
  times: number,
  duration: number,
): Promise<void> {
  const sink = new EncodedPacketSink(track);
  for (let turn = 0; turn < times; turn++) {
    for await (const packet of sink.packets()) {
      const timestamp = packet.timestamp + turn * duration;
      // What plays before the start of the sample would fall into the turn before.
      if (timestamp >= turn * duration) await add(packet.clone({ timestamp }));
    }
  }
}
