/** The account as it is set now: beside the options page, the one place that reads the token. */
import { type Client, createClient } from "../../core/client.ts";
import { redact } from "../../core/extension.ts";
import type { ErrorRecord } from "../../core/mod.ts";
import { forgetHosts } from "../reach/host-permissions.ts";
import type { AccountFault } from "../shared/next-steps.ts";
import { DEFAULT_SETTINGS, readAccount, type Settings } from "../shared/settings.ts";
import { ensureHeaderRules, refreshHeaderRules } from "./header-rules.ts";
import { forgetAuthorizedHosts, type SetAccount } from "./upload-authorization.ts";

/** A worker lives 30 s after its last event: a call must have its answer before. */
const TIMEOUT = 24_000;

/**
 * The client of the account.
 *
 * @param other paths in place of the saved ones
 * @throws {InputError} `invalid-option` where address or token are not set.
 */
export async function openAccount(
  other: Partial<Settings["paths"]> = {},
): Promise<{ client: Client } & SetAccount> {
  const { settings, token } = await readAccount();
  const { address, paths } = settings;
  const given = Object.entries({ ...paths, ...other }).filter(([, path]) => path !== "");
  const client = createClient({
    baseUrl: address,
    token,
    timeout: TIMEOUT,
    paths: Object.fromEntries(given),
  });
  await ensureHeaderRules({ settings, token });
  return { client, settings, token };
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
  const secrets = [(await readAccount()).token];
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
