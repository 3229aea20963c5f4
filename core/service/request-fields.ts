/**
 * The fields of a create-asset request (interface document: "Create-asset request body"), in the order in which they are
 * shown. What is checked, asked for on a command line or in a form, and kept of a draft follows from this one table.
 */
import * as v from "valibot";
import type { PlaybackPolicy, TranscodeProfile } from "./asset.ts";
import { object, policy, profile } from "./asset-schema.ts";

/** The documented fields of a create-asset request. None is required, since the document doesn't say which are. */
export interface RequestFields {
  /** Name of the asset; need not be the file name. @default for uploads the source's file name */
  name?: string | undefined;
  /** True to have MP4 renditions generated. */
  staticMp4?: boolean | undefined;
  /** The rule who may play: everybody, or holders of a signature; `null` is sent as it is. */
  playbackPolicy?: PlaybackPolicy | null | undefined;
  /** Output renditions requested; `null` is sent as it is. */
  profiles?: TranscodeProfile[] | null | undefined;
}

/**
 * The create-asset request (interface document: "Create-asset request body").
 *
 * Fields it doesn't name, the two further ones among them, pass through to the service.
 */
export interface AssetRequest extends RequestFields {
  /** Further request fields, passed through. */
  [field: string]: unknown;
}

/** The facts of one field. */
export interface RequestField<Value = unknown> {
  /**
   * The values that may leave. Services take an empty name, `null` and a broken number of seconds, so these pass.
   *
   * @internal
   */
  schema: v.GenericSchema<unknown, Exclude<Value, undefined>>;
  /** The control that edits it in a form, whose messages have the field's name. */
  control: "text" | "switch" | "policy" | "profiles";
  /** The option of the command line that gives it: a switch, unless `value` stands for one in the help. */
  flag?: { name: string; value?: string; help: string };
}

/** UTF-8 bytes of a name: services refuse bodies over 100 kB or so, and this is more than any of them takes. */
const LONGEST_NAME = 120_000;

export const REQUEST_FIELDS: {
  readonly [Name in keyof RequestFields]-?: RequestField<RequestFields[Name]>;
} = {
  name: {
    schema: v.pipe(v.string(), v.maxBytes(LONGEST_NAME)),
    control: "text",
    flag: {
      name: "name",
      value: "NAME",
      help: "name of the asset, for a single video, or a pattern such as '{stem}' (default: the file's name)",
    },
  },
  staticMp4: {
    schema: v.boolean(),
    control: "switch",
    flag: { name: "mp4", help: "also make MP4 versions of it" },
  },
  playbackPolicy: {
    schema: v.nullable(
      object<PlaybackPolicy>({ ...policy, refreshInterval: v.custom<number>(Number.isFinite, "a number") }),
    ),
    control: "policy",
  },
  profiles: {
    schema: v.nullable(v.array(object<TranscodeProfile>(profile))),
    control: "profiles",
  },
};

export const REQUEST_FIELD_NAMES: readonly (keyof RequestFields)[] = Object.keys(
  REQUEST_FIELDS,
) as (keyof RequestFields)[];

/** The documented fields that say something, of a record that may have others: what is empty or off is not asked for. */
export function filledFields(fields: RequestFields): RequestFields {
  return Object.fromEntries(
    REQUEST_FIELD_NAMES.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])),
  );
}
