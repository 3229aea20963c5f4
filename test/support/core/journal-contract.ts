/**
 * What every journal promises, as cases that run anywhere: under vitest for journals of a process or a disk, and in a page
 * for those of a browser.
 */

import type { UploadError } from "../../../core/errors/errors.ts";
import { findDone, forgetDone, noteDone } from "../../../core/journal/done.ts";
import type { Journal, JournalEntry, Lease, UnfinishedUpload } from "../../../core/journal/journal.ts";
import { contextsOf, openSlot } from "../../../core/journal/slot.ts";
import { MARKER } from "../marker.ts";

/** A place that journals keep their entries in. */
export interface JournalPlace {
  /** A journal of this place; each one sees what the others stored, and whose a key is. */
  open(lifetimes?: { maxAge?: number; keepDoneFor?: number }): Required<Journal>;
  openOther(): Required<Journal>;
  /** Whether it forgets no unfinished upload by its age. */
  isAgeless?: boolean;
}

const KEY = "0f".repeat(32);
const [FIRST, SECOND] = ["aa".repeat(32), "bb".repeat(32)] as const;
const ACCOUNT = "cc".repeat(8);
const LOCATION = `https://upload.example/tus?token=${MARKER}`;

const record = (id: string, more: Partial<UploadRecord> = {}): UploadRecord => ({
  method: "resumable",
  asset: { id, name: `Video ${id}` },
  mismatches: [],
  location: LOCATION,
  ...more,
});
const entry = (...ids: string[]): JournalEntry => ({
  version: 1,
  uploads: Object.fromEntries(ids.map((id) => [id.repeat(4), record(id)])),
});

const finished = (id: string, account: string = ACCOUNT) => ({
  account,
  asset: { id, name: `Video ${id}` },
  mismatches: [],
  size: 5000,
  doneAt: Number(id.at(-1)),
});

type UploadRecord = JournalEntry["uploads"][string];

export const journalContract: Record<string, (place: JournalPlace) => Promise<void>> = {
  async "gives back a copy of what was stored, replaces it whole, and forgets it"({ open }) {
    const journal = open();
    const stored = entry("asset-1");
    await journal.set(KEY, stored);
    const found = await journal.get(KEY);
    equal(found, entry("asset-1"));
    Object.assign(stored.uploads, { changed: record("outside") });
    Object.assign(found ?? {}, { uploads: {} });
    equal(await journal.get(KEY), entry("asset-1"));
    await journal.set(KEY, entry("asset-2", "asset-3"));
    await journal.set(KEY, entry("asset-4"));
    equal(await journal.get(KEY), entry("asset-4"));
    await journal.delete(KEY);
    await journal.delete(KEY);
    equal(await journal.get(KEY), undefined);
  },

  async "keeps a large entry"({ open }) {
    const journal = open();
    const parts = Array.from({ length: 10_000 }, (_, at) => `${at}`.padStart(32, "0"));
    const large: JournalEntry = { version: 1, uploads: { [FIRST]: record("asset-1", { parts }) } };
    await journal.set(KEY, large);
    equal(await journal.get(KEY), large);
  },

  async "shows what one journal stored to another of the same place, and to none elsewhere"({
    open,
    openOther,
  }) {
    await open().set(KEY, entry("asset-1"));
    equal(await open().get(KEY), entry("asset-1"));
    equal(await openOther().get(KEY), undefined);
    equal(await openOther().list(), []);
    await openOther().delete(KEY);
    equal(await open().get(KEY), entry("asset-1"));
  },

  async "lets one have a key at a time"({ open, openOther }) {
    const release = await open().claim(KEY);
    equal(typeof release, "function");
    equal((await release?.isHeld?.()) ?? true, true);
    equal(await open().claim(KEY), undefined);
    const [another, elsewhere] = [await open().claim(`${KEY}.other`), await openOther().claim(KEY)];
    equal([typeof another, typeof elsewhere], ["function", "function"]);
    await release?.();
    await release?.();
    const again = await open().claim(KEY);
    equal(typeof again, "function");
    equal((await again?.isHeld?.()) ?? true, true);
    for (const lease of [again, another, elsewhere]) await lease?.();
  },

  async "gives a key that many ask for at once to one of them"({ open }) {
    const leases = await Promise.all(Array.from({ length: 12 }, () => open().claim(KEY)));
    // Where two meet, both may step back; never may both have it.
    const held = leases.filter((lease) => lease !== undefined);
    equal(held.length <= 1, true);
    for (const lease of held) await lease();
    const after = await open().claim(KEY);
    equal(typeof after, "function");
    await after?.();
  },

  async "makes room, which the next entry takes, and gives it back"({ open }) {
    const journal = open();
    const giveBack = await journal.reserve?.(KEY);
    equal(await journal.list(), []);
    equal(await journal.get(KEY), undefined);
    await journal.set(KEY, entry("asset-1"));
    await giveBack?.();
    equal(await journal.get(KEY), entry("asset-1"));
  },

  async "remembers each upload of a source on its own, also where they are written at once"({ open }) {
    const slot = (context: string) => openSlot(open(), { key: KEY, account: ACCOUNT, context });
    const [one, two] = [await slot(FIRST), await slot(SECOND)];
    const refused = await slot(FIRST).catch((error: { code?: string }) => error.code);
    equal(refused, "in-progress");
    await Promise.all([one.save(record("asset-1")), two.save(record("asset-2"))]);
    equal([one.stored, two.stored], [true, true]);
    await one.confirm();
    await one.release();
    await two.release();
    equal((await contextsOf(open(), KEY, ACCOUNT)).sort(), [FIRST, SECOND]);
    const again = await slot(FIRST);
    equal(again.record?.asset.id, "asset-1");
    await again.forget();
    await again.release();
    equal(await contextsOf(open(), KEY, ACCOUNT), [SECOND]);
    const last = await slot(SECOND);
    await last.forget();
    await last.release();
    equal(await open().get(KEY), undefined);
    equal(await open().list(), []);
  },

  async "is free for the next call as soon as the one before was aborted"({ open }) {
    const slot = (signal?: AbortSignal) =>
      openSlot(open(), { key: KEY, account: ACCOUNT, context: FIRST }, { ...(signal && { signal }) });
    for (const wait of [0, 1, 20]) {
      const stop = new AbortController();
      const former = await slot(stop.signal);
      stop.abort();
      const next = slot();
      await new Promise((resolve) => setTimeout(resolve, wait));
      await former.release();
      await (await next).release();
    }
  },

  async "lists what is unfinished, without any location"({ open }) {
    const journal = open();
    equal(await journal.list(), []);
    const begunAt = Date.now() - 60_000;
    const source = { name: "holiday.mp4", size: 5000, origin: "https://store.example" };
    const known = record("asset-1", { source, begunAt, acknowledged: 4000 });
    const asked = `${ACCOUNT}.${SECOND}`;
    await journal.set(KEY, { version: 1, uploads: { [FIRST]: known }, requested: [asked] });
    const other = "1e".repeat(32);
    // As an earlier version stored it.
    const { name: _, ...nameless } = record("asset-2").asset;
    await journal.set(other, { version: 1, uploads: { [FIRST]: { ...record("asset-2"), asset: nameless } } });
    const place = ({ journalKey, method }: UnfinishedUpload) => `${journalKey} ${method ?? "unknown"}`;
    const listed = (await open().list()).sort((a, b) => (place(a) < place(b) ? -1 : 1));
    const [age] = listed.map((each) => each.age);
    equal(age !== undefined && age >= 60_000 && age < 600_000, true);
    const resumable = { method: "resumable" };
    const first = { journalKey: KEY, assetId: "asset-1", acknowledged: 4000 };
    const nothing = {
      account: undefined,
      name: undefined,
      origin: undefined,
      size: undefined,
      acknowledged: undefined,
      age: undefined,
    };
    equal(
      listed.map((each, at) => (at === 0 ? { ...each, age: "a minute" } : each)),
      [
        { ...nothing, ...source, ...resumable, ...first, age: "a minute" },
        { ...nothing, journalKey: KEY, account: ACCOUNT, assetId: undefined, method: undefined },
        { ...nothing, ...resumable, journalKey: other, assetId: "asset-2" },
      ],
    );
    equal(JSON.stringify(listed).includes(MARKER), false);
  },

  async "remembers a finished upload beside unfinished ones, until its account forgets it"({
    open,
    openOther,
  }) {
    const journal = open();
    const place = { journal, key: KEY };
    await journal.set(KEY, entry("asset-1"));
    await noteDone(place, FIRST, finished("asset-2"), async () => {});
    await noteDone(place, SECOND, finished("asset-3", "another account"), async () => {});
    const there = { journal: open(), key: KEY };
    equal(await findDone(there, [FIRST]), finished("asset-2"));
    equal((await findDone(there, [FIRST, SECOND]))?.asset.id, "asset-3");
    equal(await findDone(there, ["third"]), undefined);
    equal(await findDone({ journal: openOther(), key: KEY }, [FIRST]), undefined);
    equal(await open().get(KEY), entry("asset-1"));
    equal(
      (await open().list()).map(({ assetId }) => assetId),
      ["asset-1"],
    );
    equal(await forgetDone(there, "nobody"), []);
    equal(
      (await forgetDone(there, ACCOUNT)).map(({ asset }) => asset.id),
      ["asset-2"],
    );
    equal((await findDone(place, [FIRST, SECOND]))?.asset.id, "asset-3");
    await forgetDone(there, "another account");
    equal(await open().get(`${KEY}.done`), undefined);
    equal(await open().get(KEY), entry("asset-1"));
  },

  async "notes no finished upload for somebody whose lease is another's"({ open }) {
    const place = { journal: open(), key: KEY };
    const lost = async () => {
      throw new Error("lost");
    };
    equal(await noteDone(place, FIRST, finished("asset-1"), lost).catch(({ message }) => message), "lost");
    equal(await findDone(place, [FIRST]), undefined);
  },

  async "forgets what is finished after a time of its own"({ open }) {
    const journal = open({ keepDoneFor: 1 });
    const place = { journal, key: KEY };
    await journal.set(KEY, entry("asset-1"));
    await noteDone(place, FIRST, finished("asset-2"), async () => {});
    while ((await findDone(place, [FIRST])) !== undefined);
    equal(await journal.get(KEY), entry("asset-1"));
  },

  async "remembers what is finished for longer than what is unfinished"({ open, isAgeless }) {
    const journal = open({ maxAge: 1 });
    await noteDone({ journal, key: KEY }, FIRST, finished("asset-2"), async () => {});
    await journal.set(KEY, entry("asset-1"));
    while (!isAgeless && (await journal.get(KEY)) !== undefined);
    equal(await findDone({ journal: open({ maxAge: 1 }), key: KEY }, [FIRST]), finished("asset-2"));
  },

  async "leaves out of its list what it can't read, and shows no secret that was put into a name"({ open }) {
    const journal = open();
    const uploads = {
      [FIRST]: record(`asset ${LOCATION}`, { source: { name: `${MARKER} ${LOCATION}` } }),
      [SECOND]: { method: "by post" } as never,
      third: { ...record("asset-3"), source: null, begunAt: "yesterday", acknowledged: {} } as never,
    };
    await journal.set(KEY, { version: 1, uploads });
    await journal.set("2d".repeat(32), { version: 2, uploads: {} } as never);
    const listed = await open().list();
    equal(listed.map(({ assetId }) => assetId).sort(), ["[hidden: it repeats a secret]", "asset-3"]);
    equal(JSON.stringify(listed).includes(MARKER), false);
    equal(listed.find(({ assetId }) => assetId === "asset-3")?.age, undefined);
  },
};

/** Two journals of one place, of which the second gets what the first has. */
export interface LeaseLoss {
  journal: Required<Journal>;
  rival: Required<Journal>;
  /** Has `journal` lose its lease of a key, and `rival` claim it. */
  lose(key: string): Promise<Lease | undefined>;
}

/** What is promised besides by journals whose leases can be lost: whoever has lost one writes nothing more. */
export async function writesNothingWithoutLease({ journal, rival, lose }: LeaseLoss): Promise<void> {
  const key = `${KEY}.write`;
  const lease = await journal.claim(key);
  equal(typeof lease, "function");
  equal(await rival.claim(key), undefined);
  const taken = await lose(key);
  equal(typeof taken, "function");
  await rival.set(KEY, entry("the rival's"));
  for (const late of [() => journal.set(KEY, entry("too late")), () => journal.delete(KEY)]) {
    const { code, retryable, message } = await late().then(
      () => ({}) as Partial<UploadError>,
      (error: UploadError) => error,
    );
    equal([code, retryable], ["journal-failed", true]);
    equal(message, "Cannot use the journal: its lease has become another's");
  }
  equal(await lease?.isHeld?.(), false);
  equal(await journal.get(KEY), entry("the rival's"));
  await lease?.();
  equal(await taken?.isHeld?.(), true);
  await taken?.();
}

/** Fails unless two values are the same to JSON, where what is undefined stays to be seen. */
function equal(actual: unknown, expected: unknown): void {
  const [found, wanted] = [actual, expected].map(text);
  if (found !== wanted) throw new Error(`expected ${wanted}\nfound    ${found}`);
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) => {
      if (item === undefined) return "undefined";
      if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
      return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? "undefined"
  );
}
