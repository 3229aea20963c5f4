/** Frames of other sites that could not be searched, each with a button that asks for it. */
import { html, nothing, render } from "lit-html";
import { requestHosts } from "../../shared/host-permissions.ts";
import { formatCount } from "../format.ts";

/** Frames that are named: a page with more shows advertisements in them. */
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
          ? html`<li><p>Frame that can't be searched: ${host}</p></li>`
          : html`<li><p id="frame-${index}">Frame not searched: ${host}</p>
              <button type="button" aria-describedby="frame-${index}" @click=${() => void allow(origin, again)}
                >Allow</button></li>`;
      })}${others > 0 ? html`<li><p class="quiet">And frames of ${formatCount(others, "other site")}.</p></li>` : nothing}`,
      list,
    );
    if (focused && (list.hidden || !list.contains(document.activeElement))) focusFallback.focus();
  };
}
