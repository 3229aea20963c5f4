/** The one button of the page that is filled: the best next step of all. */
import { computed } from "@preact/signals";
import { drafts, offered, ordered, startable, totals } from "./list.ts";
import { isWhole } from "./list-totals.ts";
import { stepsFor } from "./steps.ts";

/**
 * Where it is: in the row of an upload, whose id this is, or what its button does; nothing while all goes on by itself.
 */
export const mainButton = computed((): string | undefined => {
  if (offered.value.length > 0) return "retry";
  const shown = ordered.value.filter(isWhole);
  const needing = shown.find((job) => job.state !== "cancelled" && stepsFor(job).buttons.length > 0);
  if (needing !== undefined) return needing.id;
  if (startable.value.length > 1) return "start-all";
  if (drafts.value.length > 0) return drafts.value[0]?.id;
  return totals.value.pausable > 0 ? undefined : "choose";
});
