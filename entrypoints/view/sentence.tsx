/** A sentence of the message catalogue, with its values put in. */
import { Fragment, h, type VNode } from "preact";
import { directionOf, partsOf } from "../shared/isolates.ts";

/** Foreign parts, such as names, keep their own direction; `{id}` and the like are for a person to write, as code. */
export function Sentence({ text }: { text: string }): VNode {
  const parts = partsOf(text).flatMap(({ text: part, isForeign }) =>
    isForeign ? <bdi dir={directionOf(part)}>{part}</bdi> : withCode(part),
  );
  // As arguments, parts need no keys.
  return h(Fragment, null, ...parts);
}

function withCode(text: string): (string | VNode)[] {
  return text
    .split(/(\{\w+\})/)
    .map((part, index) => (index % 2 === 0 ? part : <code dir="ltr">{part}</code>));
}
