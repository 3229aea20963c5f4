/** The list of uploads, with its head. */
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Job } from "../shared/job.ts";
import { t } from "../shared/translate.ts";
import { checkForm, DraftForm, goTo } from "./draft-form.tsx";
import { showWanted, useKeptView } from "./focus.ts";
import { GraceRow } from "./grace-row.tsx";
import { useKeyedRows } from "./keyed-rows.tsx";
import { inGrace, latestDone, ordered, startable } from "./list.ts";
import { ListHeader } from "./list-header.tsx";
import { editedForAll, isEditingAll, mainButton } from "./main-button.ts";
import { send } from "./offscreen-connection.ts";
import { Row, type RowProps } from "./row.tsx";
import { startDrafts } from "./row-actions.ts";

export function Uploads(): VNode | null {
  const edited = editedForAll.value;
  const isEditing = isEditingAll.value;
  const entries = useEntries();
  const rows = useKeyedRows(entries, (entry) =>
    "jobs" in entry ? <GraceRow key={entry.id} jobs={entry.jobs} /> : <Row key={entry.id} {...entry} />,
  );
  useKeptView(entries);
  useLayoutEffect(showWanted);
  useLayoutEffect(() => {
    // Closed with the drafts that it was opened for.
    if (!isEditing) editedForAll.value = undefined;
  }, [isEditing]);
  if (ordered.value.length === 0) return null;

  function leave(): void {
    editedForAll.value = undefined;
    document.getElementById("edit-all")?.focus();
  }

  return (
    <section id="uploads" aria-labelledby="uploads-title">
      <ListHeader startAll={() => startDrafts(startable.value)} />
      {isEditing && edited && <AllDrafts draft={edited} leave={leave} />}
      <ul id="list">{rows}</ul>
    </section>
  );
}

const NEAR = 60;

type Entry = (RowProps & { id: string }) | { id: string; jobs: readonly Job[] };

/** The jobs, those in their grace first, and as one entry where they are many. */
function useEntries(): readonly Entry[] {
  const [all, held, main, latest] = [ordered.value, inGrace.value, mainButton.value, latestDone.value];
  const together = useMemo(() => ({ id: "grace", jobs: held }), [held.map(({ id }) => id).join()]);
  // A long list is drawn in many tasks, of which only the first has other entries.
  return useMemo(() => {
    const ids = new Set(held.map(({ id }) => id));
    const shown = held.length === 0 ? all : [...held, ...all.filter(({ id }) => !ids.has(id))];
    const entries = shown.map((job, place) => ({
      id: job.id,
      job,
      isMain: job.id === main,
      isLatest: job.id === latest,
      isFar: place >= NEAR,
    }));
    return held.length > 1 ? [together, ...entries.slice(held.length)] : entries;
  }, [all, held, main, latest]);
}

/** The settings of all drafts at once. Nothing is sent before the person says so. */
function AllDrafts({ draft, leave }: { draft: Job; leave(): void }): VNode {
  const edited = useRef(draft.fields);

  function apply(): void {
    const [wrong] = checkForm("all");
    if (wrong === undefined) {
      const { name: _, ...settings } = edited.current;
      send({ type: "edit-drafts", fields: settings });
      leave();
    } else goTo(wrong);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.preventDefault();
    leave();
  }

  return (
    <section id="all-drafts" aria-labelledby="edit-all" onKeyDown={onKeyDown}>
      <DraftForm
        id="all"
        fields={draft.fields}
        forAll={t("list.applyToAll")}
        edit={(fields) => {
          edited.current = fields;
        }}
        start={apply}
      />
    </section>
  );
}
