/** Chooses the language of the sound of a video that has several. */
import type { NamedTracks } from "../shared/job.ts";
import { plainText } from "../shared/plain-text.ts";
import { t } from "../shared/translate.ts";

export interface SoundChoice {
  element: HTMLElement;
  write(language: string | undefined): void;
  /** The id of the language that somebody chose; `undefined` for the default one. */
  read(): string | undefined;
}

/** @returns nothing where there is no choice */
export function makeSoundChoice(languages: NonNullable<NamedTracks["languages"]>): SoundChoice | undefined {
  const [first, second] = languages;
  if (first === undefined || second === undefined) return undefined;
  const element = document.createElement("div");
  element.className = "field";
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.append(...languages.map((each) => new Option(plainText(each.label), each.id)));
  label.append(t("found.sound"), select);
  element.append(label);
  return {
    element,
    write(language) {
      select.value = languages.some(({ id }) => id === language) ? (language ?? "") : first.id;
    },
    read: () => (select.value === first.id ? undefined : select.value),
  };
}
