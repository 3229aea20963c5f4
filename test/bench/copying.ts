/** A video at an address on its way into the account: read over one long line while it is sent over another. */
import { serveVideo } from "../support/hosts/video-server.ts";
import { type Runtime, runPlan, type Source, titles } from "./clients.ts";
import { measure } from "./measure.ts";
import { type Table, tableBeside } from "./report.ts";
import { interleave } from "./rounds.ts";
import { type DiscardSink, expectVideo, startLine } from "./sinks.ts";
import { MiB, sized, type Videos } from "./videos.ts";

/** @param far a sink behind a long line */
export async function copying(far: DiscardSink, videos: Videos, quick: boolean): Promise<Table> {
  const video = await videos.of((quick ? 20 : 100) * MiB);
  const host = await serveVideo(video.size);
  const away = await startLine(host.origin);
  const url = host.url.replace(host.origin, away.origin);
  const title = `${sized(video.size)} from an address`;
  console.log(title);

  const core = (runtime: Runtime, what: string, from: Source) => ({
    name: `Upcut in ${titles[runtime]}, ${what}`,
    async run() {
      const location = await far.locate();
      const { id, figures } = await runPlan(runtime, far, { client: "upcut", location, from: [from] });
      await expectVideo(far, id, video);
      return { seconds: figures.seconds };
    },
  });
  const pipe = {
    name: "curl into curl -T",
    async run() {
      const { url: to, asset } = await far.locate();
      const copy = 'curl -sSf "$0" | curl -sSf -H Expect: -T - "$1"';
      const { seconds } = await measure(["bash", "-c", copy, url, to]);
      await expectVideo(far, asset.id, video);
      return { seconds };
    },
  };
  const candidates = [
    pipe,
    core("node", "a video in ranges", { url }),
    core("bun", "a video in ranges", { url }),
    core("deno", "a video in ranges", { url }),
    core("node", "a stream of unknown length", { stream: url }),
  ];
  const measured = await interleave(candidates, quick ? 2 : 3, quick ? undefined : pipe.name);
  await away.close();
  await host.close();
  return tableBeside(title, measured, pipe.name);
}
