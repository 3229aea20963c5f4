/** Makes a longer video of a sample by repeating it, so that an upload of it takes long enough to be seen. */
import {
  type AudioCodec,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  type InputAudioTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
  type VideoCodec,
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
  const repeated = async (track: InputVideoTrack | InputAudioTrack | null) => {
    const codec = await track?.getCodec();
    if (!track || !codec) return async () => {};
    const decoderConfig = await track.getDecoderConfig();
    // Each kind of packets has a source of its own, with the same methods.
    const source = track.isVideoTrack()
      ? new EncodedVideoPacketSource(codec as VideoCodec)
      : new EncodedAudioPacketSource(codec as AudioCodec);
    if (source instanceof EncodedVideoPacketSource) output.addVideoTrack(source);
    else output.addAudioTrack(source);
    const meta = decoderConfig === null ? undefined : ({ decoderConfig } as object);
    return async () => {
      for (let turn = 0; turn < times; turn++)
        for await (const packet of new EncodedPacketSink(track).packets()) {
          const timestamp = packet.timestamp + turn * duration;
          // What plays before the start of the sample would fall into the turn before.
          if (timestamp >= turn * duration) await source.add(packet.clone({ timestamp }), meta);
        }
    };
  };
  const writers = [await repeated(video), await repeated(audio)];
  await output.start();
  await Promise.all(writers.map((write) => write()));
  await output.finalize();
  input.dispose();
}
