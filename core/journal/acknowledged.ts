/**
 * How far an upload is, in the journal: for a list of what is unfinished. Resuming asks the service.
 *
 * @module
 */

import type { ProgressMeter } from "../progress/progress.ts";
import type { UploadRecord } from "./journal.ts";
import type { JournalSlot } from "./slot.ts";

/** The record with what the service is known to have; unchanged where it has not said so in this call. */
export function withAcknowledged(
  record: UploadRecord,
  { isAcknowledged, acknowledged }: ProgressMeter,
): UploadRecord {
  return isAcknowledged ? { ...record, acknowledged } : record;
}

/**
 * Stores that, unless it is stored already or there is nothing to resume.
 *
 * @returns whether it was written
 */
export async function noteAcknowledged(slot: JournalSlot, meter: ProgressMeter): Promise<boolean> {
  const { record, stored } = slot;
  if (record === undefined || !stored) return false;
  const noted = withAcknowledged(record, meter);
  if (noted.acknowledged === record.acknowledged) return false;
  await slot.save(noted);
  return true;
}
