/** What was uploaded before, also once it is gone from the list: its name, when, and its id to copy. */
import { render } from "lit-html";
import { formatBytes } from "../shared/format.ts";
import { type HistoryEntry, readHistory } from "../shared/history-store.ts";
import { readSettings } from "../shared/settings.ts";
import { figure, language, plural, t } from "../shared/translate.ts";
import { html } from "./html.ts";
import { copyableId, linksOf } from "./links.ts";
import { buttonLabel } from "./message-catalogue.ts";

export interface HistoryOptions {
  find(id: string): HTMLElement;
  announce(sentence: string): void;
}

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

/** It is read when the person opens it, and not before. */
export function openHistory({ find, announce }: HistoryOptions): void {
  const details = find("history") as HTMLDetailsElement;
  const search = find("history-search") as HTMLInputElement;
  let entries: HistoryEntry[] = [];
  let playbackPage = "";

  async function copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    announce(t("popup.copied", { text }));
  }

  function show(): void {
    const found = searchHistory(entries, search.value);
    const date = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" });
    const rows = found.slice(0, MOST_SHOWN).map((entry) => {
      const { id, name, size, host, endedAt, assetId, playbackId } = entry;
      const asset = { id: assetId, ...(playbackId !== undefined && { playbackId }) };
      const link = linksOf(asset, playbackPage).watch;
      const copied = copyableId(assetId);
      const facts = [date.format(endedAt), size === undefined ? "" : formatBytes(size), host ?? ""];
      return html`<li aria-labelledby="past-${id}">
        <h3 id="past-${id}" dir="auto" title=${name}>${name}</h3>
        <p class="quiet">${facts.filter(Boolean).map(figure).join(" · ")}</p>
        <div class="buttons">
          ${link === undefined ? "" : copyButton(id, "copy-link", () => copy(link))}
          ${copied === undefined ? "" : copyButton(id, "copy-asset-id", () => copy(copied))}
        </div>
      </li>`;
    });
    render(rows, find("history-list"));
    find("history-note").textContent = noteFor(found.length);
  }

  function noteFor(found: number): string {
    if (entries.length === 0) return t("list.noHistory");
    if (found === 0) return t("list.notFound");
    return found > MOST_SHOWN ? plural("list.notShown", found - MOST_SHOWN) : "";
  }

  search.addEventListener("input", show);
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    [entries, { playbackPage }] = await Promise.all([readHistory().catch(() => []), readSettings()]);
    show();
  });
}

function copyButton(id: string, name: "copy-link" | "copy-asset-id", copy: () => Promise<void>) {
  return html`<button type="button" aria-describedby="past-${id}" @click=${() => void copy()}>${buttonLabel(name)}</button>`;
}
