/** The one button of the page that is filled: the best next step of all. */
import { computed, signal } from "@preact/signals";
import type { Job } from "../shared/job.ts";
import { isWhole } from "../shared/list-totals.ts";
import { drafts, offered, ordered, startable, totals } from "./list.ts";
import { isAccountSet } from "./page-settings.ts";
import { stepsFor } from "./steps.ts";

/** The draft whose settings are edited for all drafts, while they are. */
export const editedForAll = signal<Job | undefined>(undefined);

export const isEditingAll = computed(() => editedForAll.value !== undefined && drafts.value.length > 1);

/** Where it is: in the row with this id, or what its button does; nothing while all goes on by itself. */
export const mainButton = computed((): string | undefined => {
  if (isAccountSet.value === false) return "connect";
  if (isEditingAll.value) return "edit-all";
  if (offered.value.length > 0) return "retry";
  const shown = ordered.value.filter(isWhole);
  const needing = shown.find((job) => job.state !== "cancelled" && stepsFor(job).buttons.length > 0);
  if (needing !== undefined) return needing.id;
  if (startable.value.length > 1) return "start-all";
  if (drafts.value.length > 0) return drafts.value[0]?.id;
  return totals.value.pausable > 0 ? undefined : "choose";
});
