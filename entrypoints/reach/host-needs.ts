/** Which host has to be allowed for a job: to the browser, one that isn't looks like a network that is down. */
import { recordsOf } from "../../core/extension.ts";
import type { UpcutError } from "../../core/mod.ts";
import type { HostNeed, StoredJob } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import { isInPieces } from "../shared/source-kinds.ts";
import { originOf } from "../shared/web-address.ts";
import { isPermitted, isReachable } from "./host-access.ts";

/** While there is no connection: a host that answers others and not us has to let us in; waiting would hide that. */
export async function needToConnect(job: StoredJob | undefined): Promise<HostNeed | undefined> {
  const origin = uploadOrigin(job);
  if (origin === undefined || hasAnswered(job) || (await isPermitted(origin))) return undefined;
  return (await isReachable(origin)) ? { permission: "host", origin } : undefined;
}

/**
 * After a failure: what looks like a network that is down may be a host that doesn't let us in.
 *
 * @param address where the video was read
 */
export async function needAfter(
  { code, httpStatus }: UpcutError,
  job: StoredJob | undefined,
  address: string | undefined,
  settings: { read(): Promise<{ address: string }> },
): Promise<HostNeed | undefined> {
  if (httpStatus !== undefined) return undefined;
  // Of pieces it is known while they are read.
  if (code === "source-unreadable" && address !== undefined && !(job && isInPieces(job.source))) {
    const { origin, href } = new URL(address);
    if (!(await isPermitted(origin))) return { permission: "host", origin, reads: true };
    const next = await callBackground("redirect-of", { address: href }).catch(() => null);
    return next === null || (await isPermitted(next))
      ? undefined
      : { permission: "host", origin: next, reads: true };
  }
  if (code !== "unreachable" && code !== "interrupted") return undefined;
  const { address: service } = await settings.read();
  const origin = uploadOrigin(job, code === "unreachable" ? service : undefined);
  return origin === undefined || (await isPermitted(origin)) ? undefined : { permission: "host", origin };
}

/** The origin of a job's upload host; before it is known, that of the address. */
function uploadOrigin(job: StoredJob | undefined, address?: string): string | undefined {
  const record = recordOf(job);
  const location = record?.uploadUrl ?? record?.location ?? address;
  return originOf(location ?? "") || undefined;
}

/** Tells whether the upload host has answered this job before, so that it lets us in. */
function hasAnswered(job: StoredJob | undefined): boolean {
  return recordOf(job)?.uploadUrl !== undefined || (job?.progress.acknowledged ?? 0) > 0;
}

function recordOf(job: StoredJob | undefined) {
  return recordsOf(job?.journal?.entry)[0];
}
