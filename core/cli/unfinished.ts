/**
 * The commands `list` and `discard`: what is unfinished, and its end.
 *
 * @module
 */

import process from "node:process";
import type { Client } from "../client.ts";
import { discard } from "../discard.ts";
import { fileJournal } from "../disk/journal.ts";
import { type ErrorRecord, isUpcutError } from "../errors.ts";
import type { UnfinishedUpload } from "../journal/journal.ts";
import { excerpt } from "../redaction/redaction.ts";
import { secretsOf } from "../requester.ts";
import type { Uploadable } from "../source/open.ts";
import type { Arguments } from "./arguments.ts";
import { bytes, jsonLine, plain, short, time } from "./format.ts";
import { print, tell } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import { failureOf } from "./screen.ts";
import { factsOf, videoAt } from "./sources.ts";
import { type AssetState, inWords, readState } from "./status.ts";
import { exitCodeOf, Stopped } from "./stop.ts";

/** Characters of a key that are shown: enough to tell some thousand apart. */
const KEY_LENGTH = 12;

/** For a person. */
const ADVICE = "To resume one, run its upcut upload again. To give it up, run upcut discard with its key:";

/** Prints what is unfinished, and returns the exit code. */
export async function runList({ journal, json }: Arguments): Promise<number> {
  const listed = await fileJournal(journal).list();
  if (json) {
    for (const each of listed) print(jsonLine(each));
    return 0;
  }
  if (listed.length === 0) tell("Nothing is unfinished\n");
  else if (process.stderr.isTTY) tell(`${ADVICE}\n`);
  for (const each of listed) print(`${plain(lineOf(each))}\n`);
  return 0;
}

function lineOf({ journalKey, name, origin, size, assetId, acknowledged, age }: UnfinishedUpload): string {
  const source = [name, origin && `(${origin})`].filter((part) => part !== undefined).join(" ");
  // Bytes may have arrived that no answer was about: the next upload asks for them.
  const stored = acknowledged === undefined ? "unknown part" : bytes(acknowledged);
  const columns = [
    journalKey.slice(0, KEY_LENGTH),
    short(source === "" ? "unknown source" : source, 60),
    assetId === undefined ? "asset unknown: its request had no answer" : `asset ${assetId}`,
    `${stored} of ${size === undefined ? "unknown size" : bytes(size)}`,
    age === undefined ? "age unknown" : `${time(age)} old`,
  ];
  return columns.join("  ");
}

/** Discards what was named, or all, and returns the exit code. */
export async function runDiscard(account: Client, given: Arguments, signal: AbortSignal): Promise<number> {
  const journal = fileJournal(given.journal);
  const listed = await journal.list();
  const named = given.all ? [...new Set(listed.map(({ journalKey }) => journalKey))] : given.operands;
  let failed = 0;
  for (const word of named) {
    const what = await labelOf(word, listed);
    try {
      const { assets, ended } = await discard(account, await targetOf(word, listed, given, signal), {
        journal,
        signal,
      });
      const left: LeftAsset[] = [];
      for (const { id } of assets) left.push(await leftAsset(account, id, signal));
      const facts = { assetIds: left.map(({ assetId }) => assetId), ended };
      const states = account.readsAssets && { assets: left };
      printAs(given, { event: "discarded", what, ...facts, ...states }, () =>
        left.length === 0
          ? `This account has no unfinished upload of ${what}`
          : [`Discarded ${what}`, ...left.map(sentenceOf)].join(". "),
      );
    } catch (error) {
      if (error instanceof Stopped) return exitCodeOf(error);
      if (!isUpcutError(error)) throw error;
      failed++;
      if (given.json) print(jsonLine({ event: "failed", what, error: error.toJSON() }));
      else tell(`${plain(failureOf(what, error.message))}\n`);
    }
  }
  return failed > 0 ? 1 : 0;
}

/** An asset whose upload was discarded. */
interface LeftAsset {
  assetId: string;
  /** Its state, where the service has a call that tells it; an error where that fails. */
  state?: AssetState | ErrorRecord;
}

async function leftAsset(account: Client, id: string, signal: AbortSignal): Promise<LeftAsset> {
  const assetId = excerpt(id, secretsOf(account));
  if (account.readsAssets !== true) return { assetId };
  try {
    return { assetId, state: await readState(account, id, signal) };
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

/** A word that means exactly one key is that key, else a file or an address. */
async function targetOf(
  word: string,
  listed: UnfinishedUpload[],
  { quality, language }: Arguments,
  signal: AbortSignal,
): Promise<Uploadable | { journalKey: string }> {
  const journalKey = await keyOf(word, listed);
  return journalKey === undefined
    ? await (await videoAt(word, { quality, language, signal })).open()
    : { journalKey };
}

/** The key that a word means: its beginning, or the name as it is listed, where neither means another nor is a file. */
async function keyOf(word: string, listed: UnfinishedUpload[]): Promise<string | undefined> {
  const isKey = /^[\da-f]{8,64}$/.test(word);
  const meant = listed.filter(({ journalKey, name }) =>
    isKey ? journalKey.startsWith(word) : name === word,
  );
  const [key, ...others] = new Set(meant.map(({ journalKey }) => journalKey));
  if (key === undefined || others.length > 0) return undefined;
  return isKey || (await factsOf(word)) === undefined ? key : undefined;
}

async function labelOf(word: string, listed: UnfinishedUpload[]): Promise<string> {
  const key = await keyOf(word, listed);
  if (key === undefined) return (await videoAt(word)).label;
  return listed.find(({ journalKey, name }) => journalKey === key && name !== undefined)?.name ?? word;
}

function printAs({ json }: Arguments, record: object, sentence: () => string): void {
  print(json ? jsonLine(record) : `${plain(sentence())}\n`);
}
