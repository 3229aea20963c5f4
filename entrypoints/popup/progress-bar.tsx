/** A bar whose style moves it by the same value that a screen reader is told. */
import type { VNode } from "preact";

export interface ProgressBarProps {
  /** Between 0 and 1; without one it shows that something is happening. */
  value: number | undefined;
  label: string;
  id?: string;
  class?: string;
}

export function ProgressBar({ value, label, ...rest }: ProgressBarProps): VNode {
  return <progress {...rest} max={1} value={value} style={{ "--done": value }} aria-label={label} />;
}
