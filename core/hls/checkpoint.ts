/**
 * What is remembered of each part of 8 MiB: where in the video it ends, and what tells that the video is still the same.
 * Remuxing goes on from there, in another process too, without what came before.
 *
 * @module
 */

import type { Timeline } from "./timeline.ts";

/** A place to go on from: the beginning of a piece. */
export interface Checkpoint {
  /** Number of the piece in the plan. */
  unit: number;
  /** Position in the file at which its fragment begins. */
  at: number;
  timeline: Timeline;
  /** Pieces of the plan: more may have come since to a stream that wasn't over. */
  count: number;
}

/** A checkpoint as a journal keeps it, with a digest of the bytes between it and the end of the part. */
export function writeCheckpoint({ unit, at, timeline, count }: Checkpoint, digest: string): string {
  const { run, base, offsets, begins, ends, floors, last, earliest } = timeline;
  const times = [...offsets, ...begins, ...ends, ...floors, ...earliest];
  return JSON.stringify([digest, unit, at, count, run, base, last, ...times]);
}

/** Reads what a journal kept; `undefined` where it can't be gone on from. */
export function readCheckpoint(text: string | undefined): Checkpoint | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
  if (!Array.isArray(stored) || stored.length < 15) return undefined;
  const [, unit, at, count, run, base, last, ...rest] = stored;
  const [offset0, offset1, begin0, begin1, end0, end1, floor0, floor1, ...earliest] = rest;
  const amounts = [unit, at, count, run, base, last, floor0, floor1, ...earliest];
  const times = [offset0, offset1, begin0, begin1, end0, end1];
  if (!amounts.every(isAmount) || !times.every((time) => time === null || Number.isFinite(time)))
    return undefined;
  const timeline: Timeline = {
    run,
    base,
    last,
    offsets: [offset0, offset1],
    begins: [begin0, begin1],
    ends: [end0, end1],
    floors: [floor0, floor1],
    earliest,
  };
  return unit < count ? { unit, at, count, timeline } : undefined;
}

function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
