/** A secret that an answer echoes is shown nowhere, however it is spelled, wherever it stands, and whatever was asked. */
import { describe, expect, test } from "vitest";
import { UploadError } from "../../../core/errors/errors.ts";
import { readJournalEntry } from "../../../core/journal/listing.ts";
import { refused } from "../../../core/service/call-errors.ts";
import {
  type AccountCall,
  readLocation,
  requestUploadCall,
  terminateCall,
} from "../../../core/service/calls.ts";
import { readPaths } from "../../../core/service/paths.ts";
import { refusalOf } from "../../../core/transfer/interruption.ts";
import { SPELLINGS } from "../../support/core/spellings.ts";
import { isAll } from "../../support/in-all.ts";

const TOKEN = "Zq7-Secret_of/an.account+token=42";
const LOCATION_TOKEN = "Xk4-Ticket_of/one.harbour+lane=57";
const UPLOAD_NAME = "Wm9-Name_of.one+upload=63";
const BASE = "https://video.example";

const errors = (...echoes: unknown[]) => JSON.stringify({ errors: echoes });
const invalid = (echo: string) => ({
  instancePath: `/${echo}`,
  message: `must not be ${echo}`,
  params: { allowedValues: [echo], additionalProperty: echo },
});
const half = (echo: string) => Math.ceil(echo.length / 2);

/** Where a service may repeat what it was sent. */
const PLACES: Record<string, [type: string, textOf: (echo: string) => string]> = {
  "a text": ["text/plain", (echo) => `no token ${echo} found`],
  "a text by itself": ["text/plain", (echo) => echo],
  "the errors of JSON": ["application/json", (echo) => errors(`(${echo})`)],
  "nested errors": ["application/json", (echo) => errors([`no ${echo} here`])],
  "two sentences": ["application/json", (echo) => errors(echo.slice(0, half(echo)), echo.slice(half(echo)))],
  "a validation error": ["application/json", (echo) => errors(JSON.stringify(invalid(echo)))],
  "the detail of a problem": [
    "application/problem+json",
    (echo) => JSON.stringify({ title: "no", detail: echo }),
  ],
  "broken JSON": ["application/json", (echo) => `{"errors": ["${echo}"`],
  "the title of a page": ["text/html", (echo) => `<html><title>no ${echo}</title>`],
  "a code of XML": [
    "application/xml",
    (echo) => `<?xml?><Error><Code>${echo}</Code><Message>${echo}</Message>`,
  ],
};

const call = (made: Omit<AccountCall, "baseUrl" | "token" | "secrets" | "timeout">): AccountCall => ({
  ...made,
  baseUrl: BASE,
  token: TOKEN,
  secrets: [TOKEN],
  timeout: 1000,
});
const request = call(requestUploadCall(readPaths(undefined), { name: "Launch video" }));
const terminate = call(terminateCall(readPaths(undefined).terminate, "launch"));
const record = {
  method: "resumable" as const,
  mismatches: [],
  location: `https://upload.example/direct?token=${encodeURIComponent(LOCATION_TOKEN)}`,
  uploadUrl: `https://upload.example/tus/${encodeURIComponent(UPLOAD_NAME)}`,
};
const upload = {
  record: { ...record, asset: { id: "asset-1" } },
  secrets: [TOKEN],
  isUnproven: false,
  host: "https://upload.example",
  bytes: 0,
};
const refusalBy = (text: string, type: string, at: "location" | "upload", status: number) => {
  const header = (name: string) => (name === "content-type" ? type : undefined);
  const refusal = refusalOf(upload, { status, header, text }, at);
  return refusal.error ?? refusal;
};
const accountRefusal = (asked: AccountCall, text: string, type: string) =>
  refused(asked, { status: 400, headers: new Headers({ "content-type": type }) }, text);

/** What was asked, the secret that it goes with, and what is shown of the answer. */
const STAGES: Record<string, [secret: string, show: (text: string, type: string) => unknown]> = {
  "request-upload": [TOKEN, (text, type) => accountRefusal(request, text, type)],
  terminate: [TOKEN, (text, type) => accountRefusal(terminate, text, type)],
  "an asset's id": [
    TOKEN,
    (text) => {
      try {
        return readLocation({ call: request, status: 200, text: JSON.stringify({ asset: { id: text } }) });
      } catch (error) {
        return error;
      }
    },
  ],
  "the creation of an upload": [LOCATION_TOKEN, (text, type) => refusalBy(text, type, "location", 403)],
  "bytes of an upload": [UPLOAD_NAME, (text, type) => refusalBy(text, type, "upload", 500)],
  "the list of uploads": [
    LOCATION_TOKEN,
    (text) => {
      const uploads = { context: { ...record, source: { origin: text }, asset: { id: text, name: text } } };
      return new UploadError("interrupted", "", {
        details: readJournalEntry("key", { version: 1, uploads }).map((each) => JSON.stringify(each)),
      });
    },
  ],
};

const [first = ""] = Object.keys(PLACES);
// No place has to do with how a secret is spelled: all spellings are tried in one.
const spellingsIn = (place: string) =>
  Object.entries(SPELLINGS).filter((_, at) => isAll || place === first || at % 10 === 0);

describe.each(Object.entries(PLACES))("a secret in %s", (place, [type, textOf]) => {
  test.each(Object.entries(STAGES))("is not shown of the answer to %s", (_, [secret, show]) => {
    const passed: string[] = [];
    for (const [name, spell] of spellingsIn(place)) {
      const spelled = spell(secret);
      const error = show(textOf(spelled), type) as Error;
      const shown = `${error.message}\n${JSON.stringify(error)}`;
      if (!shown.includes("[hidden") || repeats(shown, spelled)) passed.push(`${name}: ${shown}`);
    }
    expect(passed).toEqual([]);
  });
});

/** Whether any eight characters of an echo are left. */
function repeats(shown: string, spelled: string): boolean {
  for (let at = 0; at + 8 <= spelled.length; at++) if (shown.includes(spelled.slice(at, at + 8))) return true;
  return false;
}
