/** The commands `list` and `discard`: what is unfinished, and its end. */
import process from "node:process";
import type { Client } from "../client.ts";
import { discard } from "../discard.ts";
import { type ErrorRecord, isUpcutError } from "../errors/errors.ts";
import type { Journal, UnfinishedUpload } from "../journal/journal.ts";
import { guarded } from "../journal/store.ts";
import { excerpt } from "../redaction/redaction.ts";
import { accountOf, scopeOf, secretsOf } from "../service/requester.ts";
import type { Uploadable } from "../source/open.ts";
import { knownAccount } from "./account.ts";
import type { Arguments } from "./arguments.ts";
import { bytes, plain, short, time } from "./format.ts";
import { openJournal } from "./journal.ts";
import { printFailure, printNote, printResult } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import { failureOf } from "./screen.ts";
import { type AssetState, inWords, readAssetState } from "./status.ts";
import { exitCodeOf, Stopped } from "./stop.ts";
import { UsageError } from "./usage-error.ts";
import { factsOf, refuse, videoAt } from "./videos.ts";

/** Characters of a key that are shown: enough to tell some thousand apart. */
const KEY_LENGTH = 12;

const ADVICE = "To resume one, run its upcut upload again. To discard one, run upcut discard with its key:";

const NOTHING = { all: "Nothing is unfinished\n", own: "Nothing of this account is unfinished\n" };

export async function runList(given: Arguments): Promise<number> {
  const { json, all } = given;
  const account = all ? undefined : await knownAccount(given).catch(tellWhy);
  const { own, others } = await listedIn(openJournal(given), account);
  if (own.length === 0 && !json) printNote(NOTHING[others > 0 ? "own" : "all"]);
  else if (process.stderr.isTTY && !json) printNote(`${ADVICE}\n`);
  for (const each of own) printResult(json, each, lineOf(each));
  if (others > 0)
    printNote(`Left out: ${others} of other addresses or tokens. upcut list --all shows them\n`);
  return 0;
}

/** A wrong address or token keeps nobody from seeing what is remembered. */
function tellWhy(error: unknown): undefined {
  if (!isUpcutError(error) && !(error instanceof UsageError)) throw error;
  printNote(`${plain(inOwnOptions(error.message))}. So uploads of all accounts are shown\n`);
}

/** The uploads of an account, or of all. Those from before accounts were noted are taken to be its own. */
async function listedIn(journal: Required<Journal>, account: Client | undefined) {
  const listed = await guarded("read", () => journal.list());
  const name = account && (await accountOf(await scopeOf(account)));
  const own = listed.filter((each) => name === undefined || (each.account ?? name) === name);
  return { own, others: listed.length - own.length };
}

function lineOf({ journalKey, name, origin, size, assetId, acknowledged, age }: UnfinishedUpload): string {
  const key = journalKey.slice(0, KEY_LENGTH);
  if (assetId === undefined)
    return `${key}  its asset was asked for, and no answer came: the account may have an empty one`;
  const source = [name, origin && `(${origin})`].filter((part) => part !== undefined).join(" ");
  // Bytes may have arrived that no answer was about: the next upload asks for them.
  const known = acknowledged === undefined ? "none confirmed" : bytes(acknowledged);
  const part = size === undefined ? `${known} so far` : `${known} of ${bytes(size)}`;
  const columns = [key, short(source || "unnamed", 60), `asset ${assetId}`, part];
  return [...columns, ...(age === undefined ? [] : [`${time(age)} old`])].join("  ");
}

export async function runDiscard(account: Client, given: Arguments, signal: AbortSignal): Promise<number> {
  const journal = openJournal(given);
  const { own, others } = await listedIn(journal, account);
  if (given.all && own.length === 0) printNote(NOTHING[others > 0 ? "own" : "all"]);
  const words = given.all ? [...new Set(own.map(({ journalKey }) => journalKey))] : given.operands;
  let failed = 0;
  for (const word of words) {
    const { what, open } = await targetOf(word, own, given, signal);
    try {
      const { assets, ended } = await discard(account, await open(), { journal, signal });
      const left: LeftAsset[] = [];
      for (const { id } of assets) left.push(await leftAsset(account, id, signal));
      const facts = { assetIds: left.map(({ assetId }) => assetId), ended };
      const states = account.readsAssets && { assets: left };
      const sentence =
        left.length === 0
          ? `This account has no unfinished upload of ${what}`
          : [`Discarded ${what}`, ...left.map(sentenceOf)].join(". ");
      printResult(given.json, { event: "discarded", what, ...facts, ...states }, sentence);
    } catch (error) {
      if (error instanceof Stopped) return exitCodeOf(error);
      if (!isUpcutError(error)) throw error;
      failed++;
      printFailure(given.json, error, `Failed ${failureOf(what, error.message)}`, { what });
    }
  }
  return failed > 0 ? 1 : 0;
}

interface LeftAsset {
  assetId: string;
  /** The asset's state, where the service has a call that tells it; an error where that fails. */
  state?: AssetState | ErrorRecord;
}

async function leftAsset(account: Client, id: string, signal: AbortSignal): Promise<LeftAsset> {
  const assetId = excerpt(id, secretsOf(account));
  if (account.readsAssets !== true) return { assetId };
  try {
    return { assetId, state: await readAssetState(account, id, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpcutError(error)) throw error;
    return { assetId, state: error.toJSON() };
  }
}

function sentenceOf({ assetId, state }: LeftAsset): string {
  if (state === undefined) return `Asset ${assetId} stays in the account`;
  if ("phase" in state) return `Asset ${assetId} stays in the account: ${inWords(state)}`;
  if (state.code === "asset-not-found") return `The service doesn't know its asset ${assetId}`;
  return `Asset ${assetId} stays in the account. ${inOwnOptions(state.message)}`;
}

interface Target {
  /** The person's word for it. */
  what: string;
  open(): Promise<Uploadable | { journalKey: string }>;
}

/** A key, be it shortened. */
const KEY = /^[\da-f]{8,64}$/;

/** A word that means exactly one key, by its beginning or by the name as it is listed, is that key, else a file or an address. */
async function targetOf(
  word: string,
  listed: UnfinishedUpload[],
  { quality, language }: Arguments,
  signal: AbortSignal,
): Promise<Target> {
  const isKey = KEY.test(word);
  const meant = listed.filter(({ journalKey, name }) =>
    isKey ? journalKey.startsWith(word) : name?.normalize("NFC") === word.normalize("NFC"),
  );
  const [key, ...others] = new Set(meant.map(({ journalKey }) => journalKey));
  const isFile = (await factsOf(word)) !== undefined;
  if (key !== undefined && others.length === 0 && (isKey || !isFile)) {
    const what = meant.find(({ name }) => name !== undefined)?.name ?? word;
    return { what, open: async () => ({ journalKey: key }) };
  }
  if (!isFile && (isKey || others.length > 0)) {
    const state =
      key === undefined
        ? "no unfinished upload has this key"
        : `it means ${others.length + 1} unfinished uploads`;
    return { what: word, open: async () => refuse(`Cannot discard: ${state}. upcut list shows their keys`) };
  }
  const { label, open } = await videoAt(word, { quality, language, signal });
  return { what: label, open };
}
