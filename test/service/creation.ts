/** Checks a creation request the way a real service does: AJV's errors, each a JSON string of its own. */

export interface CreateRequest {
  name: string;
  staticMp4?: boolean;
  playbackPolicy?: Record<string, unknown> | null;
  profiles?: Record<string, unknown>[] | null;
  [unknown: string]: unknown;
}

type Kind = "string" | "boolean" | "integer" | "object" | "array";

const fields: Record<string, Kind> = {
  name: "string",
  staticMp4: "boolean",
  playbackPolicy: "object",
  profiles: "array",
};

const policyFields: Record<string, Kind> = {
  type: "string",
  webhookId: "string",
  webhookContext: "object",
  refreshInterval: "integer",
  allowedOrigins: "array",
};

const profileFields: Record<string, Kind> = {
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
};

/** The errors of a request body; empty when it is a `CreateRequest`. */
export function checkCreation(body: unknown, refuseUnknown: boolean): string[] {
  const errors: string[] = [];

  function report(instancePath: string, keyword: string, params: object, message: string): void {
    const schemaPath = `#${instancePath.replace(/\/([^/]+)/g, "/properties/$1")}/${keyword}`;
    errors.push(JSON.stringify({ instancePath, schemaPath, keyword, params, message }));
  }

  function checkObject(path: string, value: unknown, kinds: Record<string, Kind>): value is object {
    if (!isKind(value, "object")) {
      report(path, "type", { type: "object" }, "must be object");
      return false;
    }
    for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
      const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
      if (kind === undefined) {
        const params = { additionalProperty: key };
        if (refuseUnknown)
          report(path, "additionalProperties", params, "must NOT have additional properties");
      } else if (!isKind(item, kind) && !(item === null && path === "" && isNullable(key)))
        report(`${path}/${key}`, "type", { type: kind }, `must be ${kind}`);
    }
    return true;
  }

  if (!checkObject("", body, fields)) return errors;
  const { name, playbackPolicy, profiles } = body as Partial<CreateRequest>;
  if (name === undefined) {
    report("", "required", { missingProperty: "name" }, "must have required property 'name'");
  }
  if (isKind(playbackPolicy, "object")) {
    checkObject("/playbackPolicy", playbackPolicy, policyFields);
    const origins = playbackPolicy?.allowedOrigins;
    if (Array.isArray(origins))
      for (const [index, origin] of origins.entries())
        if (typeof origin !== "string")
          report(`/playbackPolicy/allowedOrigins/${index}`, "type", { type: "string" }, "must be string");
  }
  if (Array.isArray(profiles))
    for (const [index, profile] of profiles.entries())
      checkObject(`/profiles/${index}`, profile, profileFields);
  return errors;
}

/** `playbackPolicy: null` and `profiles: null` are accepted, though odd. */
function isNullable(key: string): boolean {
  return key === "playbackPolicy" || key === "profiles";
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "array") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === kind;
}
