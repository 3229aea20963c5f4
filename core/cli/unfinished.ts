/**
 * The commands `list` and `discard`: what is unfinished, and its end.
 *
 * @module
 */

import process from "node:process";
import { discard } from "../discard.ts";
import { fileJournal } from "../disk/journal.ts";
import { isUpcutError } from "../errors.ts";
import type { UnfinishedUpload } from "../journal/journal.ts";
import { excerpt } from "../redaction/redaction.ts";
import { type Requester, secretsOf } from "../requester.ts";
import type { Uploadable } from "../source/open.ts";
import type { Arguments } from "./arguments.ts";
import { bytes, jsonLine, plain, short, time } from "./format.ts";
import { print, tell } from "./output.ts";
import { failureOf } from "./screen.ts";
import { factsOf, videoAt } from "./sources.ts";
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
export async function runDiscard(account: Requester, given: Arguments, signal: AbortSignal): Promise<number> {
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
      const ids = assets.map(({ id }) => excerpt(id, secretsOf(account)));
      printAs(given, { event: "discarded", what, assetIds: ids, ended }, () =>
        ids.length === 0
          ? `This account has no unfinished upload of ${what}`
          : `Discarded ${what}. ${ids.length === 1 ? `Asset ${ids[0]} stays` : `Assets ${ids.join(", ")} stay`} in the account`,
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
