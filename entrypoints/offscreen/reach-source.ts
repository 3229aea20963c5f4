/** Reaches the bytes of a job of the list; where they are out of reach, the list says what is needed. */
import type { JobList } from "./job-list.ts";
import { openSource } from "./job-source.ts";

/** What a job is read from; "ask" where reading its file needs a click first, nothing where it is out of reach. */
export async function findSource(list: JobList, id: string): Promise<Blob | URL | "ask" | undefined> {
  const job = list.get(id);
  const source = job && (await openSource(job.source));
  if (source instanceof Blob) list.hold(id, source);
  return source;
}

/** The same, and says in the list what is needed where the source is out of reach. */
export async function reachSource(list: JobList, id: string): Promise<Blob | URL | undefined> {
  const source = await findSource(list, id);
  if (source === "ask") await list.apply(id, { type: "permission-needed", needs: { permission: "file" } });
  else if (source === undefined) await list.apply(id, { type: "file-lost" });
  else return source;
  return undefined;
}
