/** Numbers as a person reads them, in the language of the message catalogue. None is parted from its unit at a line's end. */
import { language, plural, t } from "./translate.ts";

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** A size such as `48.2 MB`, in steps of a thousand as file managers count. */
export function formatBytes(bytes: number): string {
  const [value, unit] = scaled(bytes);
  return format(value, unit);
}

/**
 * How much of a size, such as `4.1 of 9.8 GB`, or `4.1 of about 9.8 GB`, both in the unit of the whole, unless nothing of
 * a part would be seen in it.
 */
export function formatPartOf(part: number, whole: number, isEstimated = false): string {
  const [value, unit] = scaled(whole);
  const inUnit = whole > 0 ? (Math.min(part, whole) / whole) * value : 0;
  const steps = whole < 1000 || inUnit >= 100 ? 1 : 10;
  const all = value < 100 ? Math.round(value * 10) / 10 : Math.round(value);
  // Rounded down, and below the whole as it is shown: it must not seem to be all of it, unless it is.
  const floor = Math.floor(inUnit * steps + 1e-9) / steps;
  const shown = part < whole ? Math.min(floor, all - 1 / steps) : all;
  const digits = { maximumFractionDigits: 1 };
  const sentence = t(isEstimated ? "row.partOfAbout" : "row.partOf", {
    part: shown === 0 && part > 0 ? formatBytes(part) : formatWith(digits, shown),
    size: format(value, unit),
  });
  return unbroken(sentence);
}

/** A rate such as `3.2 MB/s`, or nothing while there is none to speak of. */
export function formatSpeed(bytesPerSecond: number): string {
  if (!(bytesPerSecond >= 1) || bytesPerSecond === Number.POSITIVE_INFINITY) return "";
  const [value, unit] = scaled(bytesPerSecond);
  return format(value, `${unit}-per-second`);
}

/** What a video takes to be played, such as `5.2 Mb/s`. */
export function formatBitrate(bitsPerSecond: number): string {
  const [value, unit] =
    bitsPerSecond < 1e6 ? [bitsPerSecond / 1e3, "kilobit"] : [bitsPerSecond / 1e6, "megabit"];
  return format(value as number, `${unit}-per-second`);
}

/** `1920 × 1080`, where it is known. */
export function formatPicture(width: number | undefined, height: number | undefined): string | undefined {
  if (width === undefined || height === undefined) return undefined;
  return unbroken(`${formatNumber(width)} × ${formatNumber(height)}`);
}

/** How large a file made of pieces becomes is only known when it is done. */
export function formatEstimate(size: number | undefined): string | undefined {
  return size === undefined ? undefined : unbroken(t("found.about", { size: formatBytes(size) }));
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

/** A time of day, such as `2:05 PM`. */
export function formatTime(at: number): string {
  return unbroken(new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(at));
}

/** How long a video is, as players show it: `0:42`, `12:05` or `1:02:33`. */
export function formatLength(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, place) => formatNumber(part, place === 0 ? 1 : 2)).join(":");
}

/** What is left at this rate, such as `2 min left`, or nothing where it can't be told. */
export function formatTimeLeft(bytesLeft: number, bytesPerSecond: number): string {
  const seconds = bytesLeft / bytesPerSecond;
  // More than a few days is no forecast.
  if (!(bytesPerSecond > 0) || !(seconds > 0) || seconds > 3 * 86_400) return "";
  return unbroken(t("row.left", { time: formatDuration(seconds) }));
}

/** `45 %`, rounded down so that 100 is only said of what is whole. */
export function formatPercent(fraction: number): string {
  return formatWith({ style: "percent" }, Math.floor(fraction * 100 + 1e-9) / 100);
}

/** A whole number without grouping, such as a width or a place in a list. */
export function formatNumber(number: number, digits = 1): string {
  return formatWith({ useGrouping: false, minimumIntegerDigits: digits }, number);
}

/** A wait in seconds, such as `90 sec`. */
export function formatSeconds(seconds: number): string {
  return format(seconds, "second");
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
  const unitDisplay = unit === "byte" ? "long" : "short";
  return formatWith({ style: "unit", unit, unitDisplay, maximumFractionDigits: value < 100 ? 1 : 0 }, value);
}

/** Formatters by language and options: each takes longer to make than to use a hundred times. */
const formatters = new Map<string, Intl.NumberFormat>();

function formatWith(options: Intl.NumberFormatOptions, value: number): string {
  const tag = language();
  const key = `${tag} ${JSON.stringify(options)}`;
  const formatter = formatters.get(key) ?? new Intl.NumberFormat(tag, options);
  formatters.set(key, formatter);
  return unbroken(formatter.format(value));
}

function pair(count: number, size: number, large: string, small: string): string {
  const rest = count % size;
  const first = format(Math.floor(count / size), large);
  return rest === 0 ? first : unbroken(`${first} ${format(rest, small)}`);
}

/** Such as "12 videos uploaded, 1 failed". */
export function endsSentence({ done, failed }: { done: number; failed: number }): string {
  const parts = { done: plural("list.uploaded", done), failed: plural("list.failed", failed) };
  if (failed === 0) return parts.done;
  return done === 0 ? plural("list.onlyFailed", failed) : t("list.ends", parts);
}

/** Joins names as the language does, such as "Name, Quality versions and Method". */
export function formatList(items: readonly string[]): string {
  return new Intl.ListFormat(language()).format(items);
}

export function unbroken(text: string): string {
  return text.replace(/\s/g, "\u00a0");
}
