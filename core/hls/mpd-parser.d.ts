// What is used of mpd-parser, which has no types of its own: its steps, so that what it would make is counted before.
declare module "mpd-parser" {
  /** Of one representation in one period, with all that it inherits. */
  export interface Representation {
    attributes: Record<string, unknown>;
    segmentInfo: Record<"template" | "list" | "base", Record<string, unknown> | undefined> & {
      segmentTimeline?: Record<string, unknown>[];
    };
  }

  export function inheritAttributes(
    /** An element as a document has it: its name, attributes, children and text are looked at. */
    mpd: object,
    options: { manifestUri: string },
  ): { representationInfo: Representation[] };
  export function toPlaylists(representations: Representation[]): unknown[];
  export function toM3u8(made: { dashPlaylists: unknown[] }): unknown;
}
