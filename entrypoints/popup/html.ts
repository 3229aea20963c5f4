/** Templates as lit-html makes them, in which every text is shown as plain text, wherever it is from. */
// biome-ignore lint/style/noRestrictedImports: here it is given its plain texts
import { html as litHtml, type TemplateResult } from "lit-html";
import { directionOf, hasIsolates, partsOf } from "../shared/isolates.ts";
import { plainText } from "../shared/plain-text.ts";

export function html(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult<1> {
  return litHtml(
    strings,
    ...values.map((value, place) => {
      if (typeof value !== "string") return value;
      return hasIsolates(value) && isChild(strings, place) ? withForeignParts(value) : plainText(value);
    }),
  );
}

/** Foreign parts of a sentence keep their own direction. */
function withForeignParts(sentence: string): unknown[] {
  return partsOf(sentence).map(({ text, isForeign }) =>
    isForeign ? litHtml`<bdi dir=${directionOf(text)}>${text}</bdi>` : text,
  );
}

/** Whether a value stands between tags, not within one. */
function isChild(strings: TemplateStringsArray, place: number): boolean {
  const before = strings.slice(0, place + 1).join("");
  // A template begins outside of tags: where none came before, neither sign is found.
  return before.lastIndexOf("<") <= before.lastIndexOf(">");
}
