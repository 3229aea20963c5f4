/** The account as it is set now. The one place, beside the options page, that reads the token. */
import { type Client, createClient } from "../../core/client.ts";
import { readAccount, type Settings } from "../shared/settings.ts";
import { refreshHeaderRules } from "./header-rules.ts";

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
): Promise<{ client: Client; address: string; token: string }> {
  const { settings, token } = await readAccount();
  const { address, paths } = settings;
  const { requestUpload, terminate } = { ...paths, ...other };
  const client = createClient({
    baseUrl: address,
    token,
    timeout: TIMEOUT,
    paths: { ...(requestUpload && { requestUpload }), ...(terminate && { terminate }) },
  });
  // Session rules are gone after a start of the browser, and the first call must not be without them.
  await refreshHeaderRules();
  return { client, address, token };
}
