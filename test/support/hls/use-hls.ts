/** One server of playlists and pieces for all tests of a file, which gives each of them the samples alone. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type HlsServer, makeHlsServer, serveSamples } from "./hls-server.ts";

/** Starts it before the first test, and closes it after the last one. */
export function useHls(): HlsServer {
  const hls = makeHlsServer();
  beforeAll(() => hls.listen());
  beforeEach(() => {
    hls.reset();
    serveSamples(hls);
  });
  afterAll(() => hls.close());
  return hls;
}
