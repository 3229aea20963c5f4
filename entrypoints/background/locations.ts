/**
 * Upload locations for the offscreen document: at most one request per job, whatever dies in between.
 *
 * Before a request leaves, that is noted in storage.session; the answer is stored there before it is passed on. So
 * another life of the worker responds to a repeated request from there, and knows when an answer was lost.
 *
 * Two notes are needed: the list's "requesting" outlives the browser, but can't tell whether a request left. This one can, and
 * ends with the browser. Core's journal has none for a requester that is `repeatable`.
 */
import * as v from "valibot";
import { assetUnknown } from "../../core/extension.ts";
import { isUpcutError, type UploadLocation } from "../../core/mod.ts";
import { isHostAllowed } from "../reach/host-permissions.ts";
import { failureOf } from "../shared/fault.ts";
import { knownAccount } from "../shared/known-account.ts";
import type { BackgroundProtocol } from "../shared/messages.ts";
import { readAccount, readManaged, readSettings, type Settings } from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";
import { openClient } from "./account.ts";
import { noteUploadHosts } from "./header-rules.ts";

type LocationRequest = BackgroundProtocol["request-upload"]["request"];
type LocationResponse = BackgroundProtocol["request-upload"]["response"];
type KnownLocation = { location: UploadLocation; address: string };
type Stored = { state: "sent" } | ({ state: "answered" } & KnownLocation);

const location = v.looseObject({
  asset: v.looseObject({ id: v.string() }),
  url: v.optional(v.string()),
  tusEndpoint: v.optional(v.string()),
});
const storedSchema = v.variant("state", [
  v.object({ state: v.literal("sent") }),
  v.object({ state: v.literal("answered"), location, address: v.string() }),
]) as v.GenericSchema<unknown, Stored>;

const keyOf = (jobId: string) => `location-${jobId}`;
/** Requests of this life of the worker: one that is repeated meanwhile gets the same answer. */
const inFlight = new Map<string, Promise<LocationResponse>>();

export function requestLocation(wanted: LocationRequest): Promise<LocationResponse> {
  const running = inFlight.get(wanted.jobId) ?? request(wanted).finally(() => inFlight.delete(wanted.jobId));
  inFlight.set(wanted.jobId, running);
  return running;
}

export async function recallLocation(jobId: string): Promise<KnownLocation | null> {
  // The request of a cancelled upload may still run: its asset is to be known.
  await inFlight.get(jobId);
  const stored = await read(jobId);
  if (stored?.state === "answered") return { location: stored.location, address: stored.address };
  // Lost with a former life of the worker: the person is told of it once.
  await forgetLocations([jobId]);
  return null;
}

export async function forgetLocations(jobIds: string[]): Promise<void> {
  await chrome.storage.session.remove(jobIds.map(keyOf));
}

async function request({ jobId, request, account: own }: LocationRequest): Promise<LocationResponse> {
  const stored = await read(jobId);
  if (stored?.state === "answered")
    return await respond({ ...stored, location: { ...stored.location, used: true } }, await readSettings());
  if (stored?.state === "sent") {
    // The person is told once; another request is what they decided to do.
    await forgetLocations([jobId]);
    return { error: assetUnknown("the browser stopped the extension").toJSON() };
  }
  let mayHaveLeft = false;
  try {
    await readManaged();
    const account = await readAccount();
    const current = await knownAccount(account);
    if (own !== undefined && current !== undefined && current.id !== own)
      return { missing: { permission: "account", id: current.id } };
    const client = await openClient(account);
    const { address } = account.settings;
    // A call that isn't allowed looks like a lost answer, so it is not even made.
    if (!(await isHostAllowed(address)))
      return { missing: { permission: "host", origin: originOf(address) } };
    await write(jobId, { state: "sent" });
    mayHaveLeft = true;
    const location = await client.requestUpload(request);
    await write(jobId, { state: "answered", location, address });
    // The authorization may have been turned on or off while the service answered.
    const { uploadAuthorization } = await readSettings();
    const settings = { ...account.settings, uploadAuthorization };
    await noteUploadHosts(hostsOf(location), { ...account, settings });
    return await respond({ location, address }, settings);
  } catch (error) {
    await forgetLocations([jobId]).catch(() => {});
    const lost = assetUnknown("something went wrong inside the extension");
    return { error: failureOf(mayHaveLeft && !isUpcutError(error) ? lost : error) };
  }
}

/** The response, also to a repeated request: with the host that has to be allowed before the location is used. */
async function respond(
  { location, address }: KnownLocation,
  { uploadAuthorization }: Settings,
): Promise<LocationResponse> {
  const origin = uploadAuthorization ? await firstToAllow(hostsOf(location)) : undefined;
  return { location, address, ...(origin && { needs: { permission: "host", origin } }) };
}

function hostsOf({ tusEndpoint, url }: UploadLocation): string[] {
  return [tusEndpoint, url].filter((each) => each !== undefined);
}

/** The origin of an upload host whose header rule lacks the permission it needs. */
async function firstToAllow(hosts: string[]): Promise<string | undefined> {
  for (const host of hosts) if (!(await isHostAllowed(host))) return originOf(host);
  return undefined;
}

async function read(jobId: string): Promise<Stored | undefined> {
  const { [keyOf(jobId)]: stored } = await chrome.storage.session.get(keyOf(jobId));
  if (stored === undefined) return undefined;
  // Something was noted for this job, so a request may have left.
  return v.parse(v.fallback(storedSchema, { state: "sent" }), stored);
}

async function write(jobId: string, stored: Stored): Promise<void> {
  await chrome.storage.session.set({ [keyOf(jobId)]: stored });
}
