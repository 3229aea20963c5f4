/** The commands `login`, `whoami` and `logout`: the account that is stored, and whether the service accepts it. */
import process from "node:process";
import { type AccountCheck, checkAccount } from "../account-check.ts";
import { variable } from "../disk/system.ts";
import { errorFacts } from "../errors/error-codes.ts";
import { isUpcutError } from "../errors/errors.ts";
import { readBaseUrl } from "../service/base-url.ts";
import { addressOf, askForToken, clientOf, noToken, readTokenFile, tokenOf } from "./account.ts";
import type { Arguments } from "./arguments.ts";
import { plain } from "./format.ts";
import { print, printNote, printResult } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import { ask } from "./prompt.ts";
import { forgetStoredAccount, storeAccount, storedAccountFile } from "./stored-account.ts";
import { UsageError } from "./usage-error.ts";

/** Characters of a token on the standard input: more than any has. */
const LONGEST_TOKEN = 16 * 1024;

const WORDS: Record<AccountCheck["token"], string> = {
  accepted: "The service accepts the token",
  limited: "The service knows the token, and doesn't let it end streams. Uploads were not checked",
  unknown: "The service didn't tell whether it accepts the token",
};

/** The variables for the paths of a service, by the names of the paths. */
const VARIABLES = { terminate: "UPCUT_TERMINATE_PATH", asset: "UPCUT_ASSET_PATH" } as const;

export async function runLogin(given: Arguments, signal: AbortSignal): Promise<number> {
  const { url, token, checked } = await acceptedAccount(given, signal);
  const { paths } = checked;
  await storeAccount({ url, token, ...(Object.keys(paths).length > 0 && { paths }) });
  const file = storedAccountFile();
  const found = Object.values(paths).join(" and ");
  const sentence = `${inWords(checked)}. Stored in ${file}, for you alone${found && `, with ${found}`}`;
  printResult(given.json, { event: "logged-in", url, file, ...factsOf(checked) }, sentence);
  tellVariables();
  return 0;
}

/** Address and token, which are asked for again where a person has typed a wrong one. */
async function acceptedAccount(given: Arguments, signal: AbortSignal) {
  const knownUrl = given.url ?? variable("UPCUT_URL");
  const knownToken = await givenToken(given);
  let url = knownUrl;
  let token = knownToken;
  for (;;) {
    url ||= await ask("Address of the service, such as https://video.example: ", "shown");
    if (url === undefined) throw new UsageError("the service's address is not known: give --url");
    let baseUrl: string | undefined;
    try {
      baseUrl = readBaseUrl(url);
      token ||= await askForToken();
      if (!token) throw new UsageError("no token was given");
      // The paths that an earlier login found may have changed.
      const checked = await checkAccount(await clientOf(baseUrl, token, {}), { signal });
      return { url: baseUrl, token, checked };
    } catch (error) {
      signal.throwIfAborted();
      if (!isUpcutError(error)) throw error;
      const { next } = errorFacts(error.code);
      const isOfToken = next === "check-token" || (next === "check-options" && baseUrl !== undefined);
      if (isOfToken ? knownToken : knownUrl) throw error;
      if (isOfToken) token = undefined;
      else url = undefined;
      printNote(`${plain(inOwnOptions(error.message))}\n`);
    }
  }
}

export async function runWhoami(given: Arguments, signal: AbortSignal): Promise<number> {
  const address = await addressOf(given);
  const url = readBaseUrl(address.value);
  const token = await tokenOf(given, url);
  if (token === undefined) throw noToken(url);
  if (!given.json) print(`${plain(`Address ${url}, from ${address.from}`)}\nToken from ${token.from}\n`);
  const checked = await checkAccount(await clientOf(url, token.value), { signal });
  const advice = Object.entries(checked.paths).map(
    ([name, path]) => `. Run upcut login, or set ${VARIABLES[name as keyof typeof VARIABLES]}=${path}`,
  );
  const facts = { url, urlFrom: address.from, tokenFrom: token.from, ...factsOf(checked) };
  printResult(given.json, { event: "account", ...facts }, `${inWords(checked)}${advice.join("")}`);
  return checked.token === "unknown" ? 1 : 0;
}

function factsOf({ token: check, paths }: AccountCheck): object {
  return { check, path: paths.terminate, assetPath: paths.asset };
}

function inWords({ token, endsStreams, error }: AccountCheck): string {
  const why = token === "unknown" && error ? ` (${inOwnOptions(error.message)})` : "";
  const advice = `set ${VARIABLES.terminate} to its path, such as /api/stream/{id}/terminate`;
  const streams = endsStreams ? "" : `. No call that ends streams was found: ${advice}`;
  return `${WORDS[token]}${why}${streams}`;
}

export async function runLogout({ json }: Arguments): Promise<number> {
  const wasThere = await forgetStoredAccount();
  const sentence = wasThere ? "Logged out. The token itself stays valid" : "Nobody is logged in";
  printResult(json, { event: "logged-out", wasThere }, sentence);
  tellVariables();
  return 0;
}

/** The token from a file, or from a standard input that holds one. */
async function givenToken({ tokenFile }: Arguments): Promise<string | undefined> {
  if (tokenFile !== undefined) return await readTokenFile(tokenFile);
  // A terminal would show it.
  if (process.stdin.isTTY) return undefined;
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
    if (variable(name)) printNote(`${name} is set, and comes before what is stored\n`);
}
