/** Faults that core once had, or nearly had, as changes of its sources that put them back. */
import type { Patch } from "./process.ts";

export const KNOWN_FAULTS: Readonly<Record<string, readonly Patch[]>> = {
  "a tail goes in the same request as whole parts": [
    {
      from: "return Math.max(partSize, wholeParts(Math.min(rest - last, most), partSize));",
      to: "return Math.min(rest, most);",
    },
  ],
  "no offset is let settle": [{ from: "if (wait <= 0 || (", to: "if (wait <= wait || (" }],
  "an offset that leaps to the end is believed": [
    {
      from: "if (complete && !settling.hasHandedOver(offset))",
      to: "if (complete && offset < 0)",
    },
  ],
  "a location that is used up counts as refused": [
    {
      from: "if (refusal === undefined || (status === 422 && (before || twice)))",
      to: "if (refusal === undefined)",
    },
  ],
  "whoever is stopped while asking makes a second asset": [
    { from: "isAsked ? LONGEST_ANSWER : 0", to: "0" },
    {
      from: "if (!signal.aborted || !isAsked || isKnown)",
      to: "if (isKnown || true)",
    },
  ],
  "claims are not looked at twice": [
    {
      from: "return only?.name === holder.name && others.length === 0 && holder.livesSince(timeout / 2);",
      to: "return only !== others[-1];",
    },
    {
      from: "if ((await someHeld(folder, others, timeout)) || !(await holder.isHeld())) return false;",
      to: "",
    },
  ],
  "a claim ends by the clock of another machine": [
    {
      from: "if (isRunning && age > -timeout) return age <= timeout;",
      to: "if (age !== isRunning) return age <= timeout;",
    },
  ],
  "a timer goes by the date": [{ from: "steady: () => performance.now()", to: "steady: () => Date.now()" }],
  "a draft is renamed before it is written down": [{ from: "    await handle.sync();", to: "" }],
  "a redirect is followed": [
    {
      from: 'redirect: isServer ? "error" : "manual",',
      to: 'redirect: "follow",',
    },
  ],
  "the lease is not asked for after a suspension": [
    {
      from: "if (sinceHeld() > LONGEST_UNCHECKED) await confirm();",
      to: "",
    },
  ],
  "a conflict is read as a success": [
    {
      from: "  if (answer.refusal !== undefined) throw answer.refusal;",
      to: `  const end = (call.start ?? 0) + (call.body?.size ?? 0);
      if (answer.status === 409) return { ...answer, refusal: undefined, status: 204, header: () => String(end) };
      if (answer.refusal !== undefined) throw answer.refusal;`,
    },
  ],
  "a direct upload counts as remembered without a note of its last byte": [
    { from: '(finished.method === "resumable" || slot.isCurrent)', to: "slot.stored" },
  ],
};
