/** What the manifest of a video in pieces says: qualities, length, and why it can't be taken. */
import type { HlsQuality } from "../../../core/validate.ts";
import type { NamedTracks } from "../../shared/job.ts";

/** Why no quality of a video can be taken. */
export type PiecesRefusal = "live-stream" | "protected-video" | "unsupported-video";

export interface Quality extends Pick<HlsQuality, "id" | "width" | "height" | "size" | "origins"> {
  /** Seconds, as elements tell theirs; `undefined` where its pieces could not be read. */
  duration: number | undefined;
  /** What it is called among the others. */
  label: string;
}

export interface Manifest extends Required<NamedTracks> {
  /** Those that can be taken, the best one first. */
  qualities: Quality[];
  /** The id of the best one, where a better one can't be taken: whoever is asked for none in particular tries that first. */
  chosen?: string;
  /** Where there are none. */
  refusal?: PiecesRefusal;
  /** True if its server answered, and didn't give it. */
  refused: boolean;
  /** True if its server gave it to us as to anybody. */
  open: boolean;
  /** Seconds; `undefined` where it tells none, or goes on. */
  duration: number | undefined;
  playlists: readonly string[];
}
