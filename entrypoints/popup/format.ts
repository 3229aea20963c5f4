/** Numbers as a person reads them. Pure; in English, as every other word of the extension is. */

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** A size such as `48.2 MB`, in steps of a thousand as file managers count. */
export function formatBytes(bytes: number): string {
  const [value, unit] = scaled(bytes);
  return format(value, unit);
}

/** A rate such as `3.2 MB/s`, or nothing while there is none to speak of. */
export function formatSpeed(bytesPerSecond: number): string {
  if (!(bytesPerSecond >= 1) || bytesPerSecond === Number.POSITIVE_INFINITY) return "";
  const [value, unit] = scaled(bytesPerSecond);
  return format(value, `${unit}-per-second`);
}

/** A duration in one or two units, such as `4 sec`, `2 min` or `1 hr 20 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return format(whole, "second");
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return format(minutes, "minute");
  if (minutes < 24 * 60) return pair(minutes, 60, "hour", "minute");
  return pair(Math.round(minutes / 60), 24, "day", "hour");
}

/** How long a video is, as players show it: `0:42`, `12:05` or `1:02:33`. */
export function formatLength(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [first, ...others] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...others.map((part) => String(part).padStart(2, "0"))].join(":");
}

/** What is left at this rate, such as `2 min left`, or nothing where it can't be told. */
export function formatTimeLeft(bytesLeft: number, bytesPerSecond: number): string {
  const seconds = bytesLeft / bytesPerSecond;
  // More than a few days is no forecast.
  if (!(bytesPerSecond > 0) || !(seconds > 0) || seconds > 3 * 86_400) return "";
  return `${formatDuration(seconds)} left`;
}

/** How much of a whole is reached, from 0 to 1, and never 1: only the end itself is. */
export function fractionOf(part: number, whole: number): number {
  if (!(whole > 0)) return 0;
  return Math.min(0.99, Math.max(0, part / whole));
}

/** `45 %`, rounded down so that 100 is only said of what is whole. */
export function formatPercent(fraction: number): string {
  return new Intl.NumberFormat("en", { style: "percent" }).format(Math.floor(fraction * 100 + 1e-9) / 100);
}

/** `1 video`, `3 videos`. */
export function formatCount(count: number, noun: string): string {
  const number = new Intl.NumberFormat("en").format(count);
  return `${number} ${noun}${count === 1 ? "" : "s"}`;
}

function scaled(bytes: number): [number, string] {
  let value = Math.max(0, Math.round(bytes));
  let step = 0;
  // 999,950 would be shown as 1,000 kB.
  while (value >= (step === 0 ? 1000 : 999.5) && step < BYTE_UNITS.length - 1) {
    value /= 1000;
    step++;
  }
  return [value, BYTE_UNITS[step] ?? "byte"];
}

function format(value: number, unit: string): string {
  return new Intl.NumberFormat("en", {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: value < 100 ? 1 : 0,
  }).format(value);
}

function pair(count: number, size: number, large: string, small: string): string {
  const rest = count % size;
  const first = format(Math.floor(count / size), large);
  return rest === 0 ? first : `${first} ${format(rest, small)}`;
}
