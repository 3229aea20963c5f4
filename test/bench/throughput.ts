/** Throughput of the server runtimes: one large file to a sink that discards it, and to the local service. */
import { curl, RUNTIMES, titles, tusJsClient, upcut } from "./clients.ts";
import { measureAt } from "./measure-at.ts";
import {
  atMostTimes,
  type Bench,
  type Section,
  shown,
  tableBeside,
  type Verdict,
  verdict,
} from "./report.ts";
import { find, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import { startService, startSink } from "./sinks.ts";
import { GiB, MiB, sized } from "./videos.ts";

const CURL = "curl -T";
const CURL_PATCH = "curl -T, as one PATCH";
/** Most time, as a multiple of curl's. */
const LIMITS = { node: 1.25, bun: 1.05, deno: 1.25 };

export async function throughput({ quick, videos }: Bench): Promise<Section> {
  const video = await videos.of(quick ? 128 * MiB : GiB);
  const rounds = quick ? 3 : 7;
  const ours = RUNTIMES.map((runtime) => upcut(runtime));
  const theirs = RUNTIMES.map((runtime) => tusJsClient(runtime));
  const all = async () => ({ clients: [curl("PUT"), ...ours, ...theirs] });
  const discarded = await measureAt(startSink, all, video, { rounds, base: quick ? undefined : CURL });
  const direct = upcut("node", { method: "direct" });
  const some = async () => ({ clients: [curl("PUT"), curl("PATCH"), ...ours, direct, tusJsClient("node")] });
  const served = await measureAt(startService, some, video, {
    rounds: quick ? 1 : 5,
    base: quick ? undefined : CURL_PATCH,
  });
  const more = {
    "CPU-s per GiB": (each: Measured) => (spreadOf(each, "cpu").median * (GiB / video.size)).toFixed(2),
    "peak MiB": (each: Measured) => spreadOf(each, "peak").median.toFixed(0),
  };
  return {
    title: "Throughput",
    how:
      `${sized(video.size)} from the page cache, ${rounds} rounds. Seconds run from the call to its end, in a process of ` +
      "its own; CPU seconds and peak memory are those of the whole process, its start included. Upcut's time includes " +
      "asking for the location. Node runs the built module as npm installs it, Bun and Deno the sources. tus-js-client " +
      "has its defaults. Every client sent the same file once more, untimed, to be hashed on arrival. " +
      "On the local service the resumable uploads pass its tus server, so they stand beside curl with one PATCH.",
    tables: [tableBeside("", discarded, CURL, more), tableBeside("", served, CURL_PATCH, more)],
    verdicts: [
      ...verdicts(discarded, CURL, "discard sink"),
      ...verdicts(served, CURL_PATCH, "local service"),
    ],
  };
}

function verdicts(all: readonly Measured[], base: string, where: string): Verdict[] {
  const times = RUNTIMES.map((runtime) => {
    const name = `Upcut in ${titles[runtime]}`;
    return atMostTimes(`${name}, time to the ${where}`, all, [name, base], LIMITS[runtime]);
  });
  const ahead = ratioOf(find(all, "tus-js-client in Node"), find(all, "Upcut in Node"), "seconds");
  const cpu = RUNTIMES.flatMap((runtime): Verdict[] => {
    const name = `Upcut in ${titles[runtime]}`;
    const peer = all.find((each) => each.name === `tus-js-client in ${titles[runtime]}`);
    if (peer === undefined) return [];
    const ratio = spreadOf(find(all, name), "cpu").median / spreadOf(peer, "cpu").median;
    const [what, target] = [`${name}, CPU seconds to the ${where}`, "below tus-js-client's"];
    return [verdict(what, target, `${ratio.toFixed(2)} ×`, ratio < 1)];
  });
  return [
    ...times,
    verdict(
      `Throughput in Node to the ${where}`,
      "≥ 1.6 × tus-js-client",
      `${shown(ahead)} ×`,
      ahead.median >= 1.6,
    ),
    ...cpu,
  ];
}
