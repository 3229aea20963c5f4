/** Figures and names as a person reads them in a terminal. */
import stringWidth from "string-width";
import type { Waiting } from "../progress/progress.ts";
import { replaceInvisible } from "../text/plain-text.ts";

/** Bytes, for example "12.3 MB". */
export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let value = count;
  for (; value >= 999.95 && at < units.length - 1; at++) value /= 1000;
  return `${value.toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
}

/** A length of time, for example "2 h 5 min". */
export function time(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const REASONS: Record<Waiting["reason"], string> = {
  connection: "the connection failed",
  stalled: "no byte gets through",
  unanswered: "the service does not answer",
  "rate-limited": "too many requests",
  "http-status": "the service has a problem",
  "not-found": "the service does not find the upload",
  offset: "the service counts other bytes than were sent",
  offline: "there is no network",
  settling: "the service is still storing what it has",
};

export function reasonOf({ reason, httpStatus, until }: Waiting): string {
  if (httpStatus === undefined) return REASONS[reason];
  const again = until === undefined ? "" : `, tries again at ${new Date(until).toLocaleTimeString("en-GB")}`;
  return `${REASONS[reason]} (${httpStatus})${again}`;
}

/** A text of somebody else's, with a replacement character for each that isn't seen. */
export function plain(text: string): string {
  return replaceInvisible(text.toWellFormed(), () => "\ufffd");
}

/** A line of JSON, with what isn't seen as escapes: the value stays the same. */
export function jsonLine(value: unknown): string {
  const units = (sign: string) =>
    Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at).toString(16).padStart(4, "0"));
  return `${replaceInvisible(JSON.stringify(value), (sign) => `\\u${units(sign).join("\\u")}`)}\n`;
}

/** A text of at most so many columns of a terminal, shortened in its middle. */
export function short(text: string, most: number): string {
  if (stringWidth(text) <= most) return text;
  const end = ending(text, Math.floor((most - 1) / 2));
  return `${beginning(text, most - 1 - stringWidth(end))}…${end}`;
}

/** The first characters of a text, as many as so many columns hold. */
export function beginning(text: string, most: number): string {
  return fitting(charactersOf(text), most).join("");
}

function ending(text: string, most: number): string {
  return fitting(charactersOf(text).reverse(), most).reverse().join("");
}

function fitting(characters: string[], most: number): string[] {
  let width = 0;
  const end = characters.findIndex((each) => {
    width += stringWidth(each);
    return width > most;
  });
  return end === -1 ? characters : characters.slice(0, end);
}

/** Splits a text into what a person takes for characters: several code points may be one. */
export function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
