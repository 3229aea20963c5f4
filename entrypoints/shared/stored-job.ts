/**
 * Reads a stored job, whatever an earlier version or a broken profile left of it. Pure.
 *
 * A field that doesn't fit is left out. A job that can't go on without it has failed, so that the person sees it and can remove
 * it: nothing of the list is hidden, and nothing is begun that isn't understood.
 */
import * as v from "valibot";
import { METHODS } from "../../core/extension.ts";
import { FAULT } from "./fault.ts";
import { hasFailed, isEnded, NOTHING_SENT, STATES, type StoredJob } from "./job.ts";
import { count, JOB_FIELDS, SOURCE_FIELDS, text } from "./job-fields.ts";
import { DEFAULT_SETTINGS, FIELD_NAMES, uploadFieldsSchema, withOwnFields } from "./settings.ts";
import { ownSource } from "./source-kinds.ts";
import { withoutRefused } from "./without-refused.ts";

const storedSource = v.pipe(
  v.looseObject({ kind: v.picklist(["file", "url", "page-blob"]), name: text }),
  v.transform((stored) => {
    const { kind, name } = stored;
    return ownSource({ type: "", lastModified: 0, ...fitting(SOURCE_FIELDS, stored), kind, name });
  }),
);
const progress = v.fallback(
  v.object({ sent: count, acknowledged: count, speed: count, fetched: v.optional(count) }),
  NOTHING_SENT,
);
const time = v.fallback(v.pipe(v.number(), v.finite()), 0);
const state = v.picklist(STATES);
const draftFields = v.intersect([
  v.looseObject({ name: text, method: v.picklist(METHODS), language: v.optional(text) }),
  uploadFieldsSchema,
]);

/** Of what core remembers, the part that is used outside of it; core itself checks the rest. */
const journal = v.object({
  key: text,
  entry: v.looseObject({
    version: v.number(),
    uploads: v.record(
      text,
      v.looseObject({
        method: text,
        location: v.optional(text),
        uploadUrl: v.optional(text),
        resumableLocation: v.optional(text),
      }),
    ),
  }),
});

const sentContent = v.object({ size: count, digest: text });

/** Parses and heals a stored job: the one home of what an earlier form of it would need. */
const storedJob = v.pipe(
  v.looseObject({ id: v.pipe(text, v.nonEmpty()) }),
  v.transform((stored): StoredJob => {
    const known = v.safeParse(state, stored.state);
    const source = v.safeParse(storedSource, stored.source);
    const given = withOwnFields(stored.fields);
    const fields = v.safeParse(draftFields, given);
    const kept = fields.success ? undefined : withoutRefused(draftFields, given);
    const isJournalSound = stored.journal === undefined || v.is(journal, stored.journal);
    const name = fields.success ? fields.output.name : source.success ? source.output.name : "?";
    const job = {
      ...fitting(JOB_FIELDS, stored),
      id: stored.id,
      createdAt: v.parse(time, stored.createdAt),
      source: source.success ? source.output : { kind: "file", name, type: "", lastModified: 0 },
      fields: fields.success
        ? fields.output
        : { ...DEFAULT_SETTINGS.fields, name, method: "auto", ...(kept?.kept ?? {}) },
      progress: v.parse(progress, stored.progress),
      state: known.success ? known.output : "failed",
      ...(isJournalSound && stored.journal !== undefined && { journal: stored.journal }),
      ...fitting({ sentContent }, stored),
    } as unknown as StoredJob;
    const isSound = known.success && source.success && fields.success && isJournalSound;
    const lost = namesOf(kept?.paths ?? []);
    const leftOut = lost.length === 0 ? {} : { fieldsLeftOut: lost };
    return explained(job, isSound || (known.success && isEnded(job)) ? undefined : leftOut);
  }),
);

/** @returns nothing for what has no id, and so can neither be shown nor removed */
export function readStoredJob(stored: unknown): StoredJob | undefined {
  const read = v.safeParse(storedJob, stored);
  return read.success ? read.output : undefined;
}

/** The fields of a request that paths lead to: all, where there was no record of them. */
function namesOf(paths: string[][]): string[] {
  const names = paths.flatMap(([name]) => name ?? [...FIELD_NAMES, "further"]);
  return [...new Set(names)].filter((name) => name !== "name" && name !== "method" && name !== "language");
}

/**
 * A job that says what is wrong with it, where that is not told by its own record.
 *
 * @param unsound what it lacks besides; absent where it can go on
 */
function explained(job: StoredJob, unsound: Pick<StoredJob, "fieldsLeftOut"> | undefined): StoredJob {
  if (unsound !== undefined) return { ...job, ...unsound, state: "failed", error: FAULT };
  if (hasFailed(job) && job.error === undefined) return { ...job, error: FAULT };
  if (job.state === "needs-permission" && job.needs === undefined) return { ...job, state: "paused" };
  return job;
}

function fitting(schemas: Record<string, v.GenericSchema>, record: Record<string, unknown>): object {
  const fields = Object.entries(schemas).filter(
    ([name, schema]) => record[name] !== undefined && v.is(schema, record[name]),
  );
  return Object.fromEntries(fields.map(([name]) => [name, record[name]]));
}
