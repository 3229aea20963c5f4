/** Small pictures, drawn in the colour of the text around them. */
import { svg, type TemplateResult } from "lit-html";
import { html } from "./html.ts";

const SHAPES = {
  video: svg`<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="M4.8 3v10M11.2 3v10M2 6.3h2.8M2 9.7h2.8M11.2 6.3H14M11.2 9.7H14"/>`,
  pause: svg`<path d="M5.5 3.5v9M10.5 3.5v9"/>`,
  continue: svg`<path d="M5 3.2v9.6L12.5 8z"/>`,
  cancel: svg`<path d="m4 4 8 8M12 4l-8 8"/>`,
  remove: svg`<path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5"/>`,
  "move-up": svg`<path d="M3.5 3h9M8 13V6M4.5 9.2 8 5.7l3.5 3.5"/>`,
  edit: svg`<path d="M3 13l.6-3L10.8 2.8l2.4 2.4L6 12.4zM9 4.6 11.4 7"/>`,
  more: svg`<path d="M3.5 8h.1M8 8h.1M12.5 8h.1" stroke-width="2.2"/>`,
  done: svg`<circle cx="8" cy="8" r="6"/><path d="m5.3 8.2 1.9 1.9 3.6-4"/>`,
  bad: svg`<circle cx="8" cy="8" r="6"/><path d="M8 4.8v3.8M8 11.1v.1"/>`,
  warn: svg`<path d="M8 2.3 14.3 13H1.7zM8 6.5v3M8 11.3v.1"/>`,
  clock: svg`<circle cx="8" cy="8" r="6"/><path d="M8 4.7V8l2.2 1.6"/>`,
  up: svg`<path d="M8 13V3.5M4 7.3l4-4 4 4"/>`,
  ended: svg`<circle cx="8" cy="8" r="6"/><path d="m3.8 12.2 8.4-8.4"/>`,
};

export type IconName = keyof typeof SHAPES;

export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${SHAPES[name]}</svg>`;
}
