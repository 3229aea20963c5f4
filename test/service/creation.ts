/** Checks a creation request the way a real service does: AJV's errors, each a JSON string of its own. */
import type { RequestFields } from "../../core/service/request-fields.ts";

export interface CreateRequest {
  name: string;
  staticMp4?: boolean;
  playbackPolicy?: Record<string, unknown> | null;
  profiles?: Record<string, unknown>[] | null;
  [unknown: string]: unknown;
}

/** A list holds the kind of its items. */
type Kind = "string" | "boolean" | "integer" | [Kind] | { [field: string]: Kind };

const REQUEST = {
  name: "string",
  staticMp4: "boolean",
  playbackPolicy: {
    type: "string",
    webhookId: "string",
    webhookContext: {},
    refreshInterval: "integer",
    allowedOrigins: ["string"],
  },
  profiles: [
    {
      name: "string",
      width: "integer",
      height: "integer",
      bitrate: "integer",
      quality: "integer",
      fps: "integer",
      fpsDen: "integer",
      gop: "string",
      profile: "string",
      encoder: "string",
    },
  ],
} satisfies Record<keyof RequestFields, Kind>;

/** Accepted as null, though odd. */
const NULLABLE = ["/playbackPolicy", "/profiles"];
/** Of which anything may be said. */
const OPEN = "/playbackPolicy/webhookContext";

/** The errors of a request body; empty when it is a `CreateRequest`. */
export function checkCreation(body: unknown, refuseUnknown: boolean): string[] {
  const errors: string[] = [];

  function report(instancePath: string, keyword: string, params: object, message: string): void {
    const schemaPath = `#${instancePath.replace(/\/([^/]+)/g, "/properties/$1")}/${keyword}`;
    errors.push(JSON.stringify({ instancePath, schemaPath, keyword, params, message }));
  }

  function check(path: string, value: unknown, kind: Kind): void {
    if (value === null && NULLABLE.includes(path)) return;
    const type = typeof kind === "string" ? kind : Array.isArray(kind) ? "array" : "object";
    if (typeOf(value, type) !== type) {
      report(path, "type", { type }, `must be ${type}`);
      return;
    }
    if (typeof kind === "string" || path === OPEN) return;
    for (const [key, item] of Object.entries(value as object)) {
      const of = Array.isArray(kind) ? kind[0] : Object.hasOwn(kind, key) ? kind[key] : undefined;
      if (of !== undefined) check(`${path}/${key}`, item, of);
      else if (refuseUnknown)
        report(
          path,
          "additionalProperties",
          { additionalProperty: key },
          "must NOT have additional properties",
        );
    }
  }

  check("", body, REQUEST);
  if (typeOf(body, "object") === "object" && (body as CreateRequest).name === undefined)
    report("", "required", { missingProperty: "name" }, "must have required property 'name'");
  return errors;
}

function typeOf(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return wanted === "integer" && Number.isInteger(value) ? "integer" : typeof value;
}
