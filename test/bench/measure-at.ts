/** How long clients take to send a video somewhere, beside each other. */
import type { Client } from "./clients.ts";
import { interleave, type Measured } from "./rounds.ts";
import { expectVideo, type Sink } from "./sinks.ts";
import { sized, type Video } from "./videos.ts";

/** What sends, opened for a sink. */
export interface Clients {
  clients: readonly Client[];
  close?(): Promise<void>;
}

/**
 * Measures after each client has sent the video once to be hashed; `more` follows with the same clients.
 *
 * @param base the client that tells whether the machine does nothing else
 */
export async function measureAt<Opened extends Clients>(
  start: (options?: { checked?: boolean }) => Promise<Sink>,
  open: (sink: Sink) => Promise<Opened>,
  video: Video,
  { rounds, base }: { rounds: number; base?: string | undefined },
  more?: (opened: Opened, sink: Sink) => Promise<void>,
): Promise<Measured[]> {
  const checking = await start({ checked: true });
  const first = await open(checking);
  for (const client of first.clients) {
    const { id } = await client.upload(checking, video.path, video.size);
    await expectVideo(checking, id, video);
  }
  await first.close?.();
  await checking.close();
  const sink = await start();
  const opened = await open(sink);
  console.log(`${sized(video.size)} to the ${sink.name}`);
  const candidates = opened.clients.map(({ name, upload }) => ({
    name,
    async run() {
      const { id, figures } = await upload(sink, video.path, video.size);
      await sink.expectBytes(id, video.size);
      return figures;
    },
  }));
  const measured = await interleave(candidates, rounds, base);
  await more?.(opened, sink);
  await opened.close?.();
  await sink.close();
  return measured;
}
