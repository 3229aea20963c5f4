/** Details that are folded away below a line: consequences, ids, a service's own words. */
import type { VNode } from "preact";
import { t } from "../shared/translate.ts";

interface DetailsProps {
  sentence?: string | undefined;
  /** The words of somebody else. */
  quote?: string | undefined;
}

export function Details({ sentence, quote }: DetailsProps): VNode | null {
  if (sentence === undefined && quote === undefined) return null;
  return (
    <details class="more">
      <summary>{t("view.details")}</summary>
      {sentence !== undefined && <p>{sentence}</p>}
      {quote !== undefined && <blockquote dir="auto">{quote}</blockquote>}
    </details>
  );
}
