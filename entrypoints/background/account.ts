/** The account as it is set now, and its calls: beside the options page, the one place that uses the token. */
import { type Client, createClient } from "../../core/client.ts";
import { checkAccount as checkClient, endStream, redact } from "../../core/extension.ts";
import { type ErrorRecord, isUpcutError } from "../../core/mod.ts";
import { forgetHosts, isHostAllowed } from "../reach/host-permissions.ts";
import { failureOf } from "../shared/fault.ts";
import type { AccountRefusal, CheckResponse, TerminateResponse } from "../shared/messages.ts";
import type { AccountFault } from "../shared/next-steps.ts";
import {
  DEFAULT_SETTINGS,
  readAccount,
  readManaged,
  type Settings,
  saveSettings,
} from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";
import { ensureHeaderRules, refreshHeaderRules } from "./header-rules.ts";
import { forgetAuthorizedHosts, rememberedTokens, type SetAccount } from "./upload-authorization.ts";

/** A worker lives 30 s after its last event: a call must have its answer before. */
const TIMEOUT = 24_000;

/** @throws {InputError} `invalid-option` where address or token are not set. */
export async function openClient({ settings, token }: SetAccount): Promise<Client> {
  const { address, paths } = settings;
  const given = Object.entries(paths).filter(([, path]) => path !== "");
  const client = createClient({
    baseUrl: address,
    token,
    timeout: TIMEOUT,
    paths: Object.fromEntries(given),
  });
  await ensureHeaderRules({ settings, token });
  return client;
}

/** Calls the saved account, unless something is missing: then nothing is sent. Never repeated by itself. */
async function callAccount<Response>(
  call: (client: Client, settings: Settings) => Promise<Response>,
): Promise<Response | AccountRefusal> {
  let mayHaveLeft = false;
  try {
    await readManaged();
    const account = await readAccount();
    const { settings, token } = account;
    const origin = originOf(settings.address);
    if (origin === "" || token === "") return { missing: "settings" };
    if (!(await isHostAllowed(origin))) return { missing: { permission: "host", origin } };
    const client = await openClient(account);
    mayHaveLeft = true;
    return await call(client, settings);
  } catch (error) {
    // What the call has done is not known then.
    if (mayHaveLeft && !isUpcutError(error)) throw error;
    return { error: failureOf(error) };
  }
}

/** Ends the session of a stream on behalf of a page or the context menu. */
export async function terminateStream(id: string): Promise<TerminateResponse> {
  return await callAccount(async (client, { address }) => {
    await endStream(client, id, (terminate) => keepEndPath(address, terminate));
    return { ended: true };
  });
}

/** The account may be another one by now. */
async function keepEndPath(address: string, terminate = ""): Promise<void> {
  const { settings } = await readAccount();
  if (settings.address === address) await saveSettings({ paths: { ...settings.paths, terminate } });
}

export async function checkAccount(): Promise<CheckResponse> {
  return await callAccount(async (client) => {
    const { error, ...check } = await checkClient(client);
    return { check: { ...check, ...(error && { error: error.toJSON() }) } };
  });
}

type Changes = Record<string, chrome.storage.StorageChange>;

/** Another service may take the token that the former one refused. */
export function faultsFixedBy({ token, settings }: Changes): AccountFault[] {
  if (settings !== undefined && accountIn(settings.oldValue) !== accountIn(settings.newValue))
    return ["token", "address"];
  return token?.newValue === undefined ? [] : ["token"];
}

function accountIn(settings: unknown): string {
  const { address, paths = DEFAULT_SETTINGS.paths } = (settings ?? {}) as Partial<Settings>;
  return JSON.stringify([address, paths]);
}

export async function forgetAccount({ hosts }: { hosts: boolean }): Promise<void> {
  await chrome.storage.local.remove("token");
  await forgetAuthorizedHosts();
  await refreshHeaderRules();
  if (hosts) await forgetHosts();
}

export async function cleanError(error: ErrorRecord): Promise<ErrorRecord> {
  const secrets = [(await readAccount()).token, ...(await rememberedTokens())];
  const { details, resume } = error;
  return {
    ...error,
    message: redact(error.message, secrets),
    ...(details && { details: cleanDetails(details, secrets) }),
    ...(resume && { resume: { ...resume, assetId: redact(resume.assetId, secrets) } }),
  };
}

/** The sentences by themselves, or what stands for all of them where the token is divided among them. */
function cleanDetails(details: readonly string[], secrets: string[]): string[] {
  const whole = redact(details.join(""), secrets);
  return whole === redact(details.join("")) ? details.map((detail) => redact(detail, secrets)) : [whole];
}
