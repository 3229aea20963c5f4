/** An account as pages and uploads know it: told apart from others, and named, without its token. */
import { known } from "./record.ts";
import { type Account, holdsUploads, readAccount, type Settings } from "./settings.ts";
import { digestOf } from "./source-kinds.ts";
import { hostOf } from "./web-address.ts";

export interface KnownAccount {
  /** Equal for the same token at the same address alone. */
  id: string;
  /** The service's host, behind the name that somebody gave it. */
  name: string;
  /** The end of its token, by which it is told apart from others there. */
  ending: string;
}

/** Characters of a token from which on four of them say nothing of the others. */
const LONG_ENOUGH = 8;

/** @returns nothing where no account is set */
export async function knownAccount({
  settings,
  token,
}: Pick<Account, "settings" | "token">): Promise<KnownAccount | undefined> {
  const { address, accountName } = settings;
  if (address === "" || token === "") return undefined;
  const id = (await digestOf(["account", address, token])).slice(0, 16);
  const name = [accountName, hostOf(address)].filter(Boolean).join(" · ");
  return { id, name, ending: token.length < LONG_ENOUGH ? `#${id.slice(0, 4)}` : `…${token.slice(-4)}` };
}

/** The settings as uploads follow them, with the account that new ones are for. */
export interface UploadSettings extends Settings {
  account?: KnownAccount;
}

export async function readUploadSettings(): Promise<UploadSettings> {
  const account = await readAccount();
  const { settings, refused } = account;
  const reviewFirst = settings.reviewFirst || holdsUploads(refused);
  return { ...settings, reviewFirst, ...known({ account: await knownAccount(account) }) };
}
