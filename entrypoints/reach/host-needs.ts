/** Which host has to be allowed for a job: to the browser, one that isn't looks like a network that is down. */
import { recordsOf } from "../../core/extension.ts";
import type { UpcutError } from "../../core/mod.ts";
import { isInPieces } from "../offscreen/pieces.ts";
import type { SettingsCopy } from "../offscreen/settings-copy.ts";
import type { HostNeed, StoredJob } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import { originOf } from "../shared/web-address.ts";
import { isPermitted, isReachable } from "./host-access.ts";

/** While there is no connection: a host that answers others and not us has to let us in; waiting would hide that. */
export async function needToConnect(job: StoredJob | undefined): Promise<HostNeed | undefined> {
  const origin = uploadOrigin(job);
  if (origin === undefined || hasAnswered(job) || (await isPermitted(origin))) return undefined;
  return (await isReachable(origin)) ? { permission: "host", origin } : undefined;
}

/** After a failure: what looks like a network that is down may be a host that doesn't let us in. */
export async function needAfter(
  { code, httpStatus }: UpcutError,
  job: StoredJob | undefined,
  source: Blob | URL | undefined,
  settings: SettingsCopy,
): Promise<HostNeed | undefined> {
  if (httpStatus !== undefined) return undefined;
  // Of pieces it is known while they are read.
  if (code === "source-unreadable" && source instanceof URL && !(job && isInPieces(job.source))) {
    if (!(await isPermitted(source.origin)))
      return { permission: "host", origin: source.origin, reads: true };
    const origin = await callBackground("redirect-of", { address: source.href }).catch(() => null);
    return origin === null || (await isPermitted(origin))
      ? undefined
      : { permission: "host", origin, reads: true };
  }
  if (code !== "unreachable" && code !== "interrupted") return undefined;
  const { address } = await settings.read();
  const origin = uploadOrigin(job, code === "unreachable" ? address : undefined);
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
