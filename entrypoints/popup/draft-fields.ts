/**
 * Between a draft's fields and the texts of its form. Pure.
 *
 * A field that is left empty isn't sent: neither "" nor null. What is wrong is told per field, in core's words.
 */
import {
  checkAssetRequest,
  isUpcutError,
  type PlaybackPolicy,
  type TranscodeProfile,
} from "../../core/mod.ts";
import type { DraftFields } from "../shared/job.ts";

/** The form's controls by name; a checkbox that isn't checked is absent. */
export type FormTexts = Record<string, string>;

export interface ReadDraft {
  /** What can be sent; wrong fields are left out. */
  fields: DraftFields;
  /** What is wrong, by the control's name. */
  problems: Map<string, string>;
}

/** The ten fields of a profile, in the order of the interface document, and which of them are integers. */
export const PROFILE_FIELDS = {
  name: "text",
  width: "integer",
  height: "integer",
  bitrate: "integer",
  quality: "integer",
  fps: "integer",
  fpsDen: "integer",
  gop: "text",
  profile: "text",
  encoder: "text",
} as const;

export function readDraft(texts: FormTexts, further: DraftFields["further"]): ReadDraft {
  const problems = new Map<string, string>();
  const name = (texts.name ?? "").trim();
  if (name === "") problems.set("name", "Enter a name.");
  const playbackPolicy = readPolicy(texts, problems);
  const profiles = rowsOf(texts)
    .map((row) => readProfile(texts, row, problems))
    .filter((profile) => Object.keys(profile).length > 0);
  const fields: DraftFields = {
    name,
    staticMp4: texts.staticMp4 !== undefined,
    method: texts.method === "direct" ? "direct" : "resumable",
    ...(Object.keys(playbackPolicy).length > 0 && { playbackPolicy }),
    ...(profiles.length > 0 && { profiles }),
    further,
  };
  return { fields, problems };
}

export function draftTexts({
  name,
  staticMp4,
  method,
  playbackPolicy = {},
  profiles = [],
}: DraftFields): FormTexts {
  const { type, webhookId, webhookContext, refreshInterval, allowedOrigins } = playbackPolicy;
  const texts: Record<string, unknown> = {
    name,
    staticMp4: staticMp4 ? "on" : undefined,
    method,
    "policy.type": type,
    "policy.webhookId": webhookId,
    "policy.webhookContext": webhookContext && JSON.stringify(webhookContext, null, 2),
    "policy.refreshInterval": refreshInterval,
    "policy.allowedOrigins": allowedOrigins?.join("\n"),
  };
  for (const [row, profile] of profiles.entries())
    for (const field of Object.keys(PROFILE_FIELDS)) texts[`profiles.${row}.${field}`] = profile[field];
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([key, value]) => [key, String(value)]),
  );
}

/** The numbers of the profile rows that a form has, in its order. */
export function rowsOf(texts: FormTexts): number[] {
  const rows = new Set<number>();
  for (const name of Object.keys(texts)) {
    const row = /^profiles\.(\d+)\./.exec(name)?.[1];
    if (row !== undefined) rows.add(Number(row));
  }
  return [...rows];
}

function readPolicy(texts: FormTexts, problems: Map<string, string>): PlaybackPolicy {
  const policy: PlaybackPolicy = {};
  const read = (field: string, value: (text: string) => unknown) => {
    const text = (texts[`policy.${field}`] ?? "").trim();
    if (text === "") return;
    try {
      const part = { [field]: value(text) };
      const problem = complaint({ playbackPolicy: part });
      if (problem === undefined) Object.assign(policy, part);
      else problems.set(`policy.${field}`, problem);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problems.set(`policy.${field}`, 'Must be a JSON object, for example {"plan": "gold"}.');
    }
  };
  read("type", String);
  read("webhookId", String);
  read("webhookContext", JSON.parse);
  read("refreshInterval", integer);
  read("allowedOrigins", (text) => text.split(/\s*\n\s*/));
  return policy;
}

function readProfile(texts: FormTexts, row: number, problems: Map<string, string>): TranscodeProfile {
  const profile: TranscodeProfile = {};
  for (const [field, kind] of Object.entries(PROFILE_FIELDS)) {
    const text = (texts[`profiles.${row}.${field}`] ?? "").trim();
    if (text === "") continue;
    const part = { [field]: kind === "integer" ? integer(text) : text };
    const problem = complaint({ profiles: [part] });
    if (problem === undefined) Object.assign(profile, part);
    else problems.set(`profiles.${row}.${field}`, problem);
  }
  return profile;
}

/** A text that is no number stays one, for core to refuse. */
function integer(text: string): number | string {
  return /^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** What core has against a request of one field. */
function complaint(request: unknown): string | undefined {
  try {
    checkAssetRequest(request);
    return undefined;
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    const expected = error.message.split(", expected ").at(-1);
    return `Must be ${expected}.`;
  }
}
