/** Small pictures, drawn in the colour of the text around them. */
import type { ButtonHTMLAttributes, VNode } from "preact";

const CIRCLE = "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z";

const SHAPES = {
  video:
    "M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3zM4.8 3v10M11.2 3v10M2 6.3h2.8M2 9.7h2.8M11.2 6.3H14M11.2 9.7H14",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  continue: "M5 3.2v9.6L12.5 8z",
  cancel: "m4 4 8 8M12 4l-8 8",
  remove: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5",
  "move-up": "M3.5 3h9M8 13V6M4.5 9.2 8 5.7l3.5 3.5",
  edit: "M3 13l.6-3L10.8 2.8l2.4 2.4L6 12.4zM9 4.6 11.4 7",
  more: "M3.5 7.9v.2M8 7.9v.2M12.5 7.9v.2",
  done: `${CIRCLE}M5.3 8.2l1.9 1.9 3.6-4`,
  bad: `${CIRCLE}M8 4.8v3.8M8 11.1v.1`,
  warn: "M8 2.3 14.3 13H1.7zM8 6.5v3M8 11.3v.1",
  clock: `${CIRCLE}M8 4.7V8l2.2 1.6`,
  up: "M8 13V3.5M4 7.3l4-4 4 4",
  open: "m6 3.5 4.5 4.5L6 12.5",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  panel:
    "M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3zM10 3v10",
  "copy-link":
    "M6.7 9.3a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7M9.3 6.7a2.6 2.6 0 0 0-3.7 0L3.4 8.9a2.6 2.6 0 0 0 3.7 3.7",
  watch: "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0zM6.6 5.6v4.8L10.4 8z",
  ended: `${CIRCLE}M3.8 12.2l8.4-8.4`,
};

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}

interface ToolProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label" | "onClick"> {
  icon: IconName;
  label: string;
  act(): void;
}

export function Tool({ icon, label, act, ...attributes }: ToolProps): VNode {
  return (
    <button class="tool" type="button" title={label} aria-label={label} {...attributes} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}
