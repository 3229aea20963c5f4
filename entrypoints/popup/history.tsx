/** Earlier uploads, also once they are gone from the list: name, time, and link and id to copy. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { formatBytes } from "../shared/format.ts";
import { type HistoryEntry, readHistory } from "../shared/history-store.ts";
import { figure, language, plural, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { copyableId, linkOfEntry } from "./links.ts";
import { buttonLabel } from "./message-catalogue.ts";
import { playbackPage } from "./page-settings.ts";
import { copyText } from "./toast.tsx";

/** Entries that are shown at once: whoever looks for another one can search. */
const MOST_SHOWN = 50;

/** Entries whose name, host or ids have all the words of a search. Pure. */
export function searchHistory(entries: readonly HistoryEntry[], search: string): HistoryEntry[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ name, host = "", assetId, playbackId = "" }) => {
    const text = [name, host, assetId, playbackId].join(" ").toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The history is read when the person opens it, and not before. */
export function History(): VNode {
  const [entries, setEntries] = useState<HistoryEntry[]>();
  const [search, setSearch] = useState("");
  const found = searchHistory(entries ?? [], search);
  return (
    <details
      id="history"
      onToggle={async ({ currentTarget }) => {
        if (currentTarget.open) setEntries(await readHistory().catch(() => []));
      }}
    >
      <summary>{t("list.history")}</summary>
      <input
        id="history-search"
        type="search"
        dir="auto"
        autocomplete="off"
        placeholder={t("list.search")}
        aria-label={t("list.search")}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <ul id="history-list" aria-label={t("list.history")}>
        {found.slice(0, MOST_SHOWN).map((entry) => (
          <PastUpload key={entry.id} entry={entry} />
        ))}
      </ul>
      <p id="history-note" class="quiet" role="status">
        {entries && noteFor(entries.length, found.length)}
      </p>
    </details>
  );
}

function PastUpload({ entry }: { entry: HistoryEntry }): VNode {
  const { id, name, size, host = "", endedAt, assetId } = entry;
  const date = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });
  const facts = [date.format(endedAt), size === undefined ? "" : formatBytes(size), host];
  const watch = linkOfEntry(entry, playbackPage.value);
  const copyButton = (label: "copy-link" | "copy-asset-id", text: string | undefined) =>
    text !== undefined && (
      <Button words={buttonLabel(label)} aria-describedby={`past-${id}`} act={() => copyText(text)} />
    );
  return (
    <li aria-labelledby={`past-${id}`}>
      <h3 id={`past-${id}`} dir="auto" title={name}>
        {name}
      </h3>
      <p class="quiet">{facts.filter(Boolean).map(figure).join(" · ")}</p>
      <div class="buttons">
        {watch !== undefined && (
          <a href={watch} target="_blank" rel="noreferrer" aria-describedby={`past-${id}`}>
            {buttonLabel("open")}
          </a>
        )}
        {copyButton("copy-link", watch)}
        {copyButton("copy-asset-id", copyableId(assetId))}
      </div>
    </li>
  );
}

function noteFor(all: number, found: number): string {
  if (all === 0) return t("list.noHistory");
  if (found === 0) return t("list.notFound");
  return found > MOST_SHOWN ? plural("list.notShown", found - MOST_SHOWN) : "";
}
