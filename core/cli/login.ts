/** The commands `login`, `whoami` and `logout`: the account that is stored, and whether the service accepts it. */
import process from "node:process";
import { readBaseUrl } from "../service/base-url.ts";
import {
  addressOf,
  askForToken,
  type CheckedAccount,
  checkAccount,
  noToken,
  readTokenFile,
  tokenOf,
} from "./account.ts";
import type { Arguments } from "./arguments.ts";
import { plain } from "./format.ts";
import { print, printResult, tell } from "./output.ts";
import { ask, canAsk } from "./prompt.ts";
import { forgetStoredAccount, storeAccount, storedAccountFile } from "./stored-account.ts";
import { UsageError } from "./usage-error.ts";

/** Characters of a token on the standard input: more than any has. */
const LONGEST_TOKEN = 16 * 1024;

const WORDS: Record<CheckedAccount["check"], string> = {
  accepted: "The service accepts the token",
  limited: "The service knows the token, and doesn't let it end streams. Uploads were not checked",
  unknown: "The service didn't tell whether it accepts the token. Check the address",
};

export async function runLogin(given: Arguments, signal: AbortSignal): Promise<number> {
  const url = readBaseUrl(await addressToStore(given));
  const token = await tokenToStore(given);
  if (token === "") throw new UsageError("no token was given");
  const checked = await checkAccount(url, token, signal);
  await storeAccount({ url, token });
  const file = storedAccountFile();
  const sentence = `${WORDS[checked.check]}. Stored in ${file}, for you alone`;
  printResult(given.json, { event: "logged-in", url, file, ...checked }, sentence);
  tellVariables();
  return 0;
}

export async function runWhoami(given: Arguments, signal: AbortSignal): Promise<number> {
  const address = await addressOf(given);
  const url = readBaseUrl(address.value);
  const token = await tokenOf(given, url);
  if (token === undefined) throw noToken(url);
  if (!given.json) print(`${plain(`Address ${url}, from ${address.from}`)}\nToken from ${token.from}\n`);
  const { check, path } = await checkAccount(url, token.value, signal);
  const advice = path && `. To end streams, set UPCUT_TERMINATE_PATH=${path}`;
  const facts = { url, urlFrom: address.from, tokenFrom: token.from, check, path };
  printResult(given.json, { event: "account", ...facts }, `${WORDS[check]}${advice ?? ""}`);
  return check === "unknown" ? 1 : 0;
}

export async function runLogout({ json }: Arguments): Promise<number> {
  const wasThere = await forgetStoredAccount();
  const sentence = wasThere ? "Logged out. The token itself stays valid" : "Nobody is logged in";
  printResult(json, { event: "logged-out", wasThere }, sentence);
  tellVariables();
  return 0;
}

async function addressToStore({ url }: Arguments): Promise<string> {
  const known = url ?? process.env.UPCUT_URL;
  if (known) return known;
  if (!canAsk()) throw new UsageError("the service's address is not known: give --url");
  return await ask("Address of the service, such as https://video.example: ", "shown");
}

async function tokenToStore({ tokenFile }: Arguments): Promise<string> {
  if (tokenFile !== undefined) return await readTokenFile(tokenFile);
  if (canAsk()) return await askForToken();
  let text = "";
  for await (const piece of process.stdin) {
    text += piece;
    if (text.length > LONGEST_TOKEN) throw new UsageError("the standard input is no token: it is too long");
  }
  return text.trim();
}

/** Variables come before what is stored. */
function tellVariables(): void {
  for (const name of ["UPCUT_URL", "UPCUT_TOKEN", "UPCUT_TOKEN_FILE"])
    if (process.env[name]) tell(`${name} is set, and comes before what is stored\n`);
}
