/** Players of other sites that could not be searched, each with a button that asks for it. */
import { nothing, render } from "lit-html";
import { requestHosts } from "../../shared/host-permissions.ts";
import { plural, t } from "../../shared/translate.ts";
import { html } from "../html.ts";

/** Sites that are named: a page with more shows something else than players in them. */
const MAX_NAMED = 3;

/**
 * @param focusFallback where the focus goes when the button that had it is gone
 * @returns what shows the frames that are still closed, and calls `again` once one of them was allowed
 */
export function listClosedFrames(
  list: HTMLElement,
  focusFallback: HTMLElement,
): (origins: string[], again: () => void) => void {
  /** Origins that were allowed, and whose frames were not entered all the same. */
  const allowed = new Set<string>();

  async function allow(origin: string, again: () => void): Promise<void> {
    if (!(await requestHosts([origin]))) return;
    allowed.add(origin);
    again();
  }

  return (origins, again) => {
    const others = origins.length - MAX_NAMED;
    const focused = list.contains(document.activeElement);
    list.hidden = origins.length === 0;
    render(
      html`${origins.slice(0, MAX_NAMED).map((origin, index) => {
        const { host } = new URL(origin);
        return allowed.has(origin)
          ? html`<li><p>${t("search.playerClosed", { host })}</p></li>`
          : html`<li><p id="frame-${index}">${t("search.player", { host })}</p>
              <button type="button" aria-describedby="frame-${index}" @click=${() => void allow(origin, again)}
                >${t("search.lookInside")}</button></li>`;
      })}${others > 0 ? html`<li><p class="quiet">${plural("search.morePlayers", others)}</p></li>` : nothing}`,
      list,
    );
    if (focused && (list.hidden || !list.contains(document.activeElement))) focusFallback.focus();
  };
}
