/**
 * Videos that another command is uploading: each is looked at again, until that has uploaded it, or has stopped and left it.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises";

/** Milliseconds until one is looked at again. */
const INTERVAL = 1_000;

/** The videos of a command that have begun and not ended, and those that are looked at again. */
export class Later<Video> {
  readonly #videos: Video[] = [];
  #open = 0;
  #wake = () => {};

  /** A video is looked at. */
  begin(): void {
    this.#open++;
  }

  /** It has ended. */
  end(): void {
    this.#open--;
    this.#wake();
  }

  /** Another command is uploading it. */
  endForNow(video: Video): void {
    this.#videos.push(video);
    this.end();
  }

  /**
   * The next one to look at again; `undefined` once all have ended.
   *
   * @throws the signal's reason.
   */
  async next(signal: AbortSignal): Promise<Video | undefined> {
    while (this.#videos.length === 0 && this.#open > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#videos.length > 0) await setTimeout(INTERVAL, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
    return this.#videos.shift();
  }
}
