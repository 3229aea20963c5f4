/** Names the languages and subtitles of a video that was given by its link, as the popup does for those of a page. */
import { isEnded } from "../shared/job.ts";
import type { JobList } from "./job-list.ts";
import { findTracks, isInPieces } from "./pieces.ts";

export async function nameTracks(list: JobList, id: string): Promise<void> {
  const given = list.get(id);
  if (given === undefined || isEnded(given) || !isInPieces(given.source)) return;
  if (given.source.subtitles !== undefined) return;
  const tracks = await findTracks(given.source);
  const job = list.get(id);
  if (tracks === undefined || job === undefined || isEnded(job)) return;
  await list.add([{ ...job, source: { ...job.source, ...tracks } }]);
}
