/** Faults that core once had, or nearly had, with the changes of its sources that put them back, and what they then show. */
import type { Change } from "./process.ts";

const NOT_WHOLE = /calls asset-\d+ whole, and it isn't/;
const TWO_SEND = /while \S+ has the upload/;
const LOST = /calls an asset lost, and it is whole/;

export interface KnownFault {
  name: string;
  shows: RegExp;
  changes: readonly Change[];
  /** True if a minute is too short to meet it: `npm run simulate -- --fault NAME --minutes 20`. */
  isSeldom?: boolean;
}

export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "a tail goes in the same request as whole parts",
    shows: NOT_WHOLE,
    changes: [
      [
        "return Math.max(partSize, wholeParts(Math.min(rest - last, most), partSize));",
        "return Math.min(rest, most);",
      ],
    ],
  },
  {
    name: "no offset is let settle",
    shows: NOT_WHOLE,
    changes: [["if (wait <= 0 || (", "if (wait <= wait || ("]],
  },
  {
    name: "an offset that leaps to the end is believed",
    shows: NOT_WHOLE,
    changes: [["if (complete && !settling.hasHandedOver(offset))", "if (complete && offset < 0)"]],
  },
  {
    name: "a location that is used up counts as refused",
    shows: LOST,
    changes: [
      ["if (refusal === undefined || (status === 422 && (before || twice)))", "if (refusal === undefined)"],
    ],
  },
  {
    name: "whoever is stopped while asking makes a second asset",
    shows: /assets that nobody gave up/,
    changes: [
      ["isAsked ? LONGEST_ANSWER : 0", "0"],
      ["if (!signal.aborted || !isAsked || isKnown)", "if (isKnown || true)"],
    ],
  },
  {
    name: "claims are not looked at twice",
    shows: /says that it stood still, and it didn't/,
    changes: [
      [
        "return only?.name === holder.name && others.length === 0 && holder.livesSince(timeout / 2);",
        "return only !== others[-1];",
      ],
      ["if ((await someHeld(folder, others, timeout)) || !(await holder.confirm())) return false;", ""],
    ],
  },
  {
    name: "a claim ends by the clock of another machine",
    shows: TWO_SEND,
    changes: [
      [
        "if (isRunning && age > -timeout) return age <= timeout;",
        "if (age !== isRunning) return age <= timeout;",
      ],
    ],
  },
  {
    name: "a timer goes by the date",
    shows: /says that it took|took longer than any call may/,
    changes: [["steady: () => performance.now()", "steady: () => Date.now()"]],
  },
  {
    name: "a draft is renamed before it is written down",
    shows: /found half an entry/,
    changes: [["    await handle.sync();", ""]],
  },
  {
    name: "a redirect is followed",
    shows: /sent to a host that nobody named/,
    changes: [['redirect: isServer ? "error" : "manual",', 'redirect: "follow",']],
  },
  {
    name: "the lease is not asked for after a suspension",
    shows: TWO_SEND,
    changes: [["if (sinceHeld() > LONGEST_UNCHECKED) await confirm();", ""]],
  },
  {
    name: "a conflict is read as a success",
    shows: NOT_WHOLE,
    changes: [
      [
        "  if (answer.refusal !== undefined) throw answer.refusal;",
        `  const [call] = how;
        const end = (call.start ?? 0) + (call.body?.size ?? 0);
        if (answer.status === 409) return { ...answer, refusal: undefined, status: 204, header: () => String(end) };
        if (answer.refusal !== undefined) throw answer.refusal;`,
      ],
    ],
  },
  {
    name: "an answer that repeats a secret is told",
    shows: /a secret was told/,
    changes: [["if (repeats(text)) return repeats(purpose) ? HIDDEN : purpose + HIDDEN;", ""]],
  },
  {
    name: "a direct upload counts as remembered without a note of its last byte",
    isSeldom: true,
    shows: LOST,
    changes: [['(finished.method === "resumable" || slot.isCurrent)', "slot.stored"]],
  },
  {
    name: "a 404 to the request that joins parts counts as if it had joined them",
    shows: NOT_WHOLE,
    changes: [["status === 404 || (status === 500 &&", "(status === 500 &&"]],
  },
  {
    name: "a proxy's refusal counts as the answer of a host that has joined parts",
    shows: NOT_WHOLE,
    changes: [["if (status === 407 || status === 413) throw refusal;", ""]],
  },
  {
    name: "an end is believed long after the last lower offset",
    isSeldom: true,
    shows: NOT_WHOLE,
    changes: [["this.#sent >= end && this.#sinceTold() < KEPT", "this.#sent >= end"]],
  },
  {
    name: "an end that is told once more is believed for longer",
    isSeldom: true,
    shows: NOT_WHOLE,
    changes: [["if (!complete) this.#sinceTold = startStopwatch();", "this.#sinceTold = startStopwatch();"]],
  },
  {
    name: "a file that changes while its upload waits is sent behind what it held",
    isSeldom: true,
    shows: /another content|whole, and it isn't/,
    changes: [["if (!kept.has(start)) kept.set(start, { ranges: [[start, end]], bytes });", ""]],
  },
  {
    name: "a part that a browser sends again isn't waited for",
    isSeldom: true,
    shows: NOT_WHOLE,
    changes: [["(repeats ? 2 : 1) * parts", "parts"]],
  },
];
