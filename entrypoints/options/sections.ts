/** The folded sections of the page: which are open, and how what is in them is reached. */
import {
  decodeOrKeep,
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestFields,
} from "../../core/validate.ts";
import { isSimple } from "../shared/request-form.ts";
import { DEFAULT_SETTINGS, type Settings } from "../shared/settings.ts";

/** What each section sets, by its name. */
const CONTENTS: Record<string, (settings: Settings) => unknown> = {
  uploads: ({ method, reviewFirst, uploadsAtATime, notifications, keepAwake, fields }) => [
    method,
    reviewFirst,
    uploadsAtATime,
    notifications,
    keepAwake,
    REQUEST_FIELD_NAMES.map(
      (name) => isSimple(REQUEST_FIELDS[name].control) && (fields as RequestFields)[name],
    ),
  ],
  policy: ({ fields }) => [fields.playbackPolicy],
  profiles: ({ fields }) => [fields.profiles],
  further: ({ fields }) => [fields.further],
  streams: ({ confirmTerminate, streamPage, streamMenu }) => [confirmTerminate, streamPage, streamMenu],
  links: ({ playbackPage }) => [playbackPage],
  advanced: ({ paths, uploadAuthorization }) => [paths, uploadAuthorization],
};

/** Opens the sections in which something is not as it is at first. None is closed: the person may be reading it. */
export function openChangedSections(settings: Settings): void {
  for (const section of document.querySelectorAll<HTMLDetailsElement>("[data-section]")) {
    const contents = CONTENTS[section.dataset.section ?? ""];
    if (contents && text(contents(settings)) !== text(contents(DEFAULT_SETTINGS))) section.open = true;
  }
}

/** Opens whatever an element is folded away in. */
export function reveal(element: Element): void {
  for (let fold = element.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null)
    fold.open = true;
}

/** Opens the section that the page's address names by its fragment, now and whenever that changes. */
export function followFragment(): void {
  const follow = () => {
    const target = document.getElementById(decodeOrKeep(location.hash.slice(1)));
    if (target === null) return;
    reveal(target);
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
