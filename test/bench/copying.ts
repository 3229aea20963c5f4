/** A video at an address on its way into the account: read over one long line while it is sent over another. */
import { runScript, titles } from "./clients.ts";
import { startLine } from "./long-line.ts";
import { measure } from "./measure.ts";
import { shown, type Table } from "./report.ts";
import { type Candidate, interleave, ratioOf, spreadOf } from "./rounds.ts";
import type { DiscardSink } from "./sinks.ts";
import { startVideoHost } from "./video-host.ts";
import { MiB, sized, type Videos } from "./videos.ts";

/** @param far a sink behind a long line */
export async function copying(far: DiscardSink, videos: Videos, quick: boolean): Promise<Table> {
  const video = await videos.of((quick ? 20 : 100) * MiB);
  const host = await startVideoHost(videos.folder);
  const address = new URL(host.addressOf(video.path));
  const away = await startLine(address.origin);
  const url = `${away.origin}${address.pathname}`;
  console.log(`${sized(video.size)} from an address`);

  const core = (runtime: "node" | "bun" | "deno", what: string, from: { url?: string; stream?: string }) => ({
    name: `Upcut in ${titles[runtime]}, ${what}`,
    async run() {
      const location = await far.locate();
      const { baseUrl, token } = far;
      const plan = { baseUrl, token, location, from: [from], built: runtime === "node" };
      const { id, figures } = await runScript(runtime, "upcut", plan);
      await expectVideo(id);
      return { seconds: figures.seconds ?? Number.NaN };
    },
  });
  const expectVideo = async (id: string) => {
    if ((await far.sha256(id)) !== video.sha256) throw new Error("what arrived isn't the video");
  };
  const pipe: Candidate = {
    name: "curl into curl -T",
    async run() {
      const { url: to, asset } = await far.locate();
      const began = performance.now();
      await measure(["bash", "-c", 'curl -sSf "$0" | curl -sSf -H Expect: -T - "$1"', url, to]);
      const seconds = (performance.now() - began) / 1000;
      await expectVideo(asset.id);
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
  const measured = await interleave(candidates, quick ? 2 : 3);
  await away.close();
  host.close();
  const [base] = measured;
  if (base === undefined) throw new Error("nothing was measured");
  return {
    columns: [`${sized(video.size)} from an address`, `× ${base.name}`, "s"],
    rows: measured.map((each) => [
      each.name,
      shown(ratioOf(each, base, "seconds")),
      shown(spreadOf(each, "seconds")),
    ]),
  };
}
