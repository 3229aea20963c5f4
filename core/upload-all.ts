/** Many videos by one call: a few at a time, each result as it comes, and a list of any length that is never held whole. */

import { asUpcutError, isUpcutError } from "./errors/errors.ts";
import {
  openItem,
  readItem,
  readUploadAllOptions,
  type UploadAllOptions,
  type UploadItem,
  type UploadOutcome,
} from "./many/options.ts";
import { type Queue, runQueue } from "./many/queue.ts";
import { TotalProgress } from "./many/total-progress.ts";
import { refusedOption } from "./options/checks.ts";
import { tell } from "./options/tell.ts";
import { SpeedMeter } from "./progress/speed.ts";
import type { Requester } from "./service/requester.ts";
import type { Uploadable } from "./source/open.ts";
import { isObject } from "./text/is-object.ts";
import { joinSignals, untilAborted } from "./time/abort.ts";
import { dateNow } from "./time/clock.ts";
import type { UploadCall, UploadOptions } from "./upload/options.ts";
import { openCall, runCall } from "./upload.ts";

/**
 * Uploads many sources, a few at a time, and gives what became of each as soon as it is known.
 *
 * A failure is an outcome like a success and ends nothing else. Sources are taken from the list as there is room for
 * them: no more run than `concurrency`, and no more outcomes wait to be taken, so that a list may be endless. Nothing
 * begins before the first outcome is asked for, or all are awaited. With `once`, a source that another call is uploading
 * comes again after all others, and then gives that call's result.
 *
 * `await` gives all outcomes, in the order of the list, those of failures too: it rejects only with what the loop would throw.
 * Iterate over a list that is long or endless.
 *
 * To stop, leave the loop: what runs is aborted, and its end awaited. Or abort the signal: what had ended by then is
 * still given, then the loop throws the signal's reason. Either way what was sent is kept, and another call with the
 * same sources and journal resumes it.
 *
 * @param requester who asks for the locations, for example a client
 * @param sources what `upload()` takes, or `{ source, name, … }` with options of its own; an array, a Set, a generator, or
 * anything that can be iterated, be it async
 * @param options for all of them
 * @returns the outcomes, in the order in which they come; awaited, all that were not taken yet
 * @throws {InputError} at once, for wrong options; a wrong source is an outcome.
 * @throws whatever the list itself throws, after the outcomes of what had begun.
 * @example Files of a folder, opened when their turn comes
 * ```ts
 * import { createClient, uploadAll } from "@upcut/core";
 * import { openFile } from "@upcut/core/file";
 *
 * function* items(paths: string[]) {
 *   for (const path of paths) yield { source: () => openFile(path), name: `From ${path}`, data: path };
 * }
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * for await (const { source, error } of uploadAll(client, items(["missing.mp4"]), { concurrency: 2 }))
 *   console.log(source.data, error?.code); // "missing.mp4" "invalid-source"
 * ```
 * @example All outcomes at once
 * ```ts
 * import { createClient, uploadAll } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * const [outcome] = await uploadAll(client, [new File([], "empty.mp4")]);
 * console.log(outcome?.error?.code); // "empty-source"
 * ```
 */
export function uploadAll<Item extends Uploadable | UploadItem>(
  requester: Requester,
  sources: Iterable<Item> | AsyncIterable<Item>,
  options: UploadAllOptions = {},
): AsyncGenerator<UploadOutcome<Item>, undefined> & PromiseLike<UploadOutcome<Item>[]> {
  const { concurrency, onProgress, bandwidth, shared } = readUploadAllOptions(requester, options);
  const startedAt = dateNow();
  if (!isList(sources))
    throw refusedOption("upload", "the list of sources", sources, "an array or an iterable");
  const outcomes = run();
  let all: Promise<UploadOutcome<Item>[]> | undefined;
  const collect = async () => {
    const found: UploadOutcome<Item>[] = [];
    for await (const outcome of outcomes) found.push(outcome);
    return found.sort((one, other) => one.index - other.index);
  };
  const then: PromiseLike<UploadOutcome<Item>[]>["then"] = (...listeners) => {
    all ??= collect();
    return all.then(...listeners);
  };
  // biome-ignore lint/suspicious/noThenProperty: nothing begins before somebody iterates or awaits.
  return Object.assign(outcomes, { then });

  async function* run(): AsyncGenerator<UploadOutcome<Item>, undefined> {
    const { signal, abort, leave } = joinSignals(shared.signal);
    const speed = new SpeedMeter();
    const progress = new TotalProgress(lengthOf(sources), ({ alreadyThere: _, ...report }) =>
      tell(onProgress, report, abort),
    );

    const uploadOne: Queue<Item, UploadOutcome<Item>>["run"] = async ({ item, index, isAgain }) => {
      let call: UploadCall | undefined;
      progress.start(index, isAgain);
      try {
        const { source, data: _, ...more } = readItem(item);
        const { bandwidth: __, ...rest } = { ...shared, ...more };
        const given = await untilAborted(openItem(source), signal);
        const options: UploadOptions = {
          ...rest,
          signal,
          onProgress(report) {
            progress.update(index, report);
            return more.onProgress?.(report);
          },
        };
        const onHandedOver = (bytes: number) => {
          speed.add(bytes);
          progress.speed = speed.speed;
        };
        call = openCall(requester, given, options, { bandwidth, startedAt, onHandedOver, waits: isAgain });
        const result = await runCall(call);
        progress.end(index, "uploaded");
        return { index, source: item, result };
      } catch (error) {
        if (signal.aborted) return undefined;
        const isOthers = isUpcutError(error) && error.code === "in-progress" && !isAgain;
        if (isOthers && call?.settings.once) {
          progress.postpone(index);
          return "later";
        }
        progress.end(index, "failed");
        return { index, source: item, error: asUpcutError("upload", error) };
      }
    };

    const onEnd = (count: number) => {
      progress.sources = count;
      progress.emit();
    };
    try {
      yield* runQueue({ list: sources, concurrency, signal, abort, onEnd, run: uploadOne });
      return undefined;
    } finally {
      leave();
    }
  }
}

/** Bytes can be iterated too, and are one source. */
function isList(value: unknown): boolean {
  if (ArrayBuffer.isView(value) || value instanceof Blob) return false;
  if (Array.isArray(value)) return true;
  return isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

function lengthOf(sources: unknown): number | undefined {
  if (Array.isArray(sources)) return sources.length;
  return sources instanceof Set || sources instanceof Map ? sources.size : undefined;
}
