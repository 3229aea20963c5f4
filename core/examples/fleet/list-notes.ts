/**
 * What is noted of a list beside the journal, which forgets an upload that is done: which videos are, and where an asset may
 * exist besides. Two files beside the list, to which lines are added before the journal forgets, so that a process may be
 * killed at any moment.
 *
 * @module
 */

import { appendFile, readFile } from "node:fs/promises";
import type { JournalEntry, ListableJournal } from "../../journal/mod.ts";
import type { Progress, UploadOptions } from "../../mod.ts";
import { beforeWrites, forgetsRequest } from "./journal-writes.ts";

/** A video of the list. */
export interface ListedVideo {
  /** Its line, from 1. */
  line: number;
  /** What stands for its address, which may be signed. */
  id: string;
}

/** An asset that may exist besides the one of a video. */
export interface ListDoubt {
  line: number;
  /** Its id, or "unknown" where no answer came. */
  asset: string;
}

/** The notes of one list. */
export interface ListNotes {
  isDone(id: string): boolean;
  doubts(): readonly ListDoubt[];
  /** Notes that an asset of a video may exist besides, once for each time that a call has said so. */
  noteDoubt(line: number): Promise<void>;
  /** Journal and progress of one upload, with the notes of it. */
  noting(video: ListedVideo, journal: ListableJournal): Pick<UploadOptions, "journal" | "onProgress">;
}

/** Reads the notes of a list: `<list>.done` holds digest, line and asset, `<list>.doubtful` line and asset. */
export async function openListNotes(list: string): Promise<ListNotes> {
  const [doneFile, doubtsFile] = [`${list}.done`, `${list}.doubtful`];
  const done = new Set((await wordsOf(doneFile)).map(([id = ""]) => id));
  const doubts = (await wordsOf(doubtsFile)).map(([line, asset = "unknown"]) => ({
    line: Number(line),
    asset,
  }));
  const append = async (line: number) => {
    doubts.push({ line, asset: "unknown" });
    await appendFile(doubtsFile, `${line} unknown\n`);
  };
  /** Lines whose doubt was noted before the call has said so. */
  const noted = new Set<number>();
  return {
    isDone: (id) => done.has(id),
    doubts: () => doubts,
    async noteDoubt(line) {
      if (!noted.delete(line)) await append(line);
    },
    noting({ line, id }, journal) {
      let hasAsked = false;
      let latest: Progress | undefined;

      const noteWhole = async (next: JournalEntry | undefined) => {
        const asset = latest?.asset?.id;
        if (asset === undefined || latest?.acknowledged !== latest?.total || done.has(id)) return;
        // As long as the journal remembers it, it is not done.
        if (Object.values(next?.uploads ?? {}).some((record) => record.asset.id === asset)) return;
        await appendFile(doneFile, `${id} ${line} ${asset}\n`);
        done.add(id);
      };
      /** The journal is about to forget that an earlier run had asked for an asset, and had no answer. */
      const noteForgotten = async (key: string, next: JournalEntry | undefined) => {
        // Whether its own asking is in doubt, this run is told itself.
        if (hasAsked || !(await forgetsRequest(journal, key, next))) return;
        noted.add(line);
        await append(line);
      };
      return {
        journal: beforeWrites(journal, async (key, next) => {
          await noteForgotten(key, next);
          await noteWhole(next);
        }),
        onProgress(progress) {
          hasAsked ||= progress.state === "requesting";
          latest = progress;
        },
      };
    },
  };
}

async function wordsOf(file: string): Promise<string[][]> {
  const text = await readFile(file, "utf8").catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")]));
}
