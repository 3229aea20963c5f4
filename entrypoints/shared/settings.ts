/**
 * The settings, in one table: storage, the form of the options and the offscreen document's copy follow from it. Kept in
 * storage.local, which only the extension's own pages and worker can read.
 */
import * as v from "valibot";
import {
  checkAssetRequest,
  isObject,
  METHODS,
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestFields,
  readBaseUrl,
} from "../../core/extension.ts";
import { isRefused } from "./is-refused.ts";
import { STREAM_MENUS } from "./stream-pages.ts";
import type { MessageKey, PlainKey } from "./translate.ts";
import { originOf } from "./web-address.ts";
import { within } from "./within.ts";
import { withoutRefused } from "./without-refused.ts";

/** The fields of a create-asset request that a draft starts with, and that its form edits. */
export interface UploadFields extends Omit<RequestFields, "name"> {
  /** Further request fields, passed through: the interface leaves two unnamed. */
  further: Record<string, unknown>;
}

/** The fields but the name, which each video has for itself. */
export const FIELD_NAMES = REQUEST_FIELD_NAMES.filter((name) => name !== "name");

/** Fields of a request that core would send: by the schemas of its table, and by what JSON can carry. */
export const uploadFieldsSchema = v.pipe(
  v.custom(isObject),
  v.looseObject({
    ...Object.fromEntries(FIELD_NAMES.map((name) => [name, fieldSchema(name)])),
    further: v.optional(v.custom(isObject), {}),
  }),
) as v.GenericSchema<unknown, UploadFields>;

function fieldSchema(name: keyof RequestFields): v.GenericSchema {
  const isSendable = (value: unknown) => !isRefused(() => checkAssetRequest({ [name]: value }));
  return v.optional(v.pipe(REQUEST_FIELDS[name].schema as v.GenericSchema, v.check(isSendable)));
}

/** Stored fields, in which one that an earlier version knew among the further ones alone has its own place. */
export function withOwnFields(stored: unknown): unknown {
  if (!isObject(stored) || !isObject(stored.further)) return stored;
  const isOwn = ([name]: [string, unknown]) => FIELD_NAMES.some((own) => own === name);
  const [own = [], further = []] = [true, false].map((wanted) =>
    Object.entries(stored.further as object).filter((entry) => isOwn(entry) === wanted),
  );
  return { ...Object.fromEntries(own), ...stored, further: Object.fromEntries(further) };
}

const NO_FIELDS: UploadFields = {
  ...Object.fromEntries(
    REQUEST_FIELD_NAMES.flatMap((name) => (REQUEST_FIELDS[name].control === "switch" ? [[name, false]] : [])),
  ),
  further: {},
};

/** The folded sections of the options, in their order. */
export const SECTIONS = ["uploads", "videos", "streams", "advanced"] as const;

export type NeededPermission = "notifications" | "power";

export interface Setting<Value> {
  /** Accepts what may be stored; of anything else what it refuses is left out, and said to be. */
  schema: v.GenericSchema<unknown, Value>;
  /** The value until the person has set another one. */
  first: NoInfer<Value>;
  /** Where the options show it; not at all without. */
  section?: (typeof SECTIONS)[number];
  control?:
    | "switch"
    | "choice"
    | "whole-number"
    | "request"
    | "pages"
    | "expression"
    | "watch-page"
    | "paths";
  label?: PlainKey;
  /** Labels of the fields of a setting that has several. */
  labels?: Readonly<Record<string, PlainKey>>;
  hint?: MessageKey;
  /** Said where the schema doesn't take what is typed. */
  problem?: PlainKey;
  choices?: readonly { value: NoInfer<Value>; label: PlainKey; hint?: MessageKey }[];
  /** True if it is used, given what is typed at the others; otherwise it is not shown. */
  isUsed?: (typed: Record<string, unknown>) => boolean;
  /** Set where Chromium alone can do it. */
  isOfChromium?: true;
  needs?: { permission: NeededPermission; value: NoInfer<Value> };
  /** The value that the offscreen document assumes until it is told. @default the first value */
  untold?: NoInfer<Value>;
}

const setting = <Value>(entry: Setting<Value>): Setting<Value> => entry;

const onOff = (entry: Omit<Setting<boolean>, "schema" | "control">): Setting<boolean> => ({
  ...entry,
  schema: v.boolean(),
  control: "switch",
});

/** The table, in the order of the options. */
export const SETTINGS = {
  /** Base address of the service, empty until it is set. */
  address: setting({ schema: v.string(), first: "", label: "options.address" }),
  /** The name that an organization gives the account; nobody else names it. */
  accountName: setting({ schema: v.string(), first: "" }),
  method: setting({
    schema: v.picklist(METHODS),
    first: "auto",
    section: "uploads",
    control: "choice",
    label: "options.method",
    choices: [
      { value: "auto", label: "options.automatic", hint: "options.automaticHint" },
      { value: "resumable", label: "options.resumable", hint: "options.resumableHint" },
      { value: "direct", label: "options.direct", hint: "options.directHint" },
    ],
  }),
  /** Keeps new uploads as drafts until they are started, instead of starting them after a few seconds. */
  reviewFirst: onOff({
    first: false,
    // The person may have wanted that.
    untold: true,
    section: "uploads",
    label: "grace.review",
    hint: "grace.reviewHint",
  }),
  uploadsAtATime: setting({
    schema: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)),
    first: 2,
    section: "uploads",
    control: "whole-number",
    label: "options.uploadsAtATime",
    hint: "options.uploadsAtATimeHint",
    problem: "problem.uploadsAtATime",
  }),
  notifications: onOff({
    first: false,
    section: "uploads",
    label: "options.notify",
    hint: "options.notifyHint",
    needs: { permission: "notifications", value: true },
  }),
  /** Offered where the service says how far it is with a video. */
  notifyReady: onOff({
    first: false,
    section: "uploads",
    label: "options.notifyReady",
    hint: "options.notifyReadyHint",
    isUsed: (typed) => typed["path-asset"] !== "",
    needs: { permission: "notifications", value: true },
  }),
  keepAwake: onOff({
    first: false,
    section: "uploads",
    label: "options.keepAwake",
    // Firefox lets no extension do it.
    isOfChromium: true,
    needs: { permission: "power", value: true },
  }),
  fields: setting({
    schema: uploadFieldsSchema,
    first: NO_FIELDS,
    section: "videos",
    control: "request",
    label: "options.videos",
    labels: {
      ...Object.fromEntries(FIELD_NAMES.map((name) => [name, `options.${name}` as PlainKey])),
      further: "form.further",
    },
  }),
  confirmTerminate: onOff({
    first: true,
    section: "streams",
    label: "options.confirmEnd",
    hint: "options.confirmEndHint",
    needs: { permission: "notifications", value: false },
  }),
  /** On which pages the menu offers to end a stream; the toolbar icon's menu offers it everywhere. */
  streamMenu: setting({
    schema: v.picklist(STREAM_MENUS),
    first: "service",
    section: "streams",
    control: "choice",
    label: "streamMenu.title",
    choices: [
      { value: "service", label: "streamMenu.service", hint: "streamMenu.serviceHint" },
      { value: "everywhere", label: "streamMenu.everywhere", hint: "streamMenu.everywhereHint" },
      { value: "listed", label: "streamMenu.listed" },
    ],
  }),
  /** The addresses of those pages where some are named, as the person wrote them. */
  streamMenuPages: setting({
    schema: v.array(v.string()),
    first: [],
    section: "streams",
    control: "pages",
    label: "streamMenu.pages",
    hint: "streamMenu.pagesHint",
    isUsed: ({ streamMenu }) => streamMenu === "listed",
  }),
  /** Matches addresses of pages that are about one stream; its first group is the id. Empty turns it off. */
  streamPage: setting({
    schema: v.string(),
    first: "/streams?/([^/?#]+)",
    section: "streams",
    control: "expression",
    label: "options.streamPage",
    hint: "options.streamPageHint",
  }),
  /** Address of a page that plays an asset, with {playbackId} and {assetId}; empty where there is none. */
  playbackPage: setting({
    schema: v.string(),
    first: "",
    section: "advanced",
    control: "watch-page",
    label: "options.playbackPage",
    hint: "options.playbackPageHint",
  }),
  /** Overrides of the documented paths, empty for the documented ones; no document shows one that reads an asset. */
  paths: setting({
    schema: v.object({
      requestUpload: v.string(),
      terminate: v.string(),
      asset: v.optional(v.string(), ""),
    }),
    first: { requestUpload: "", terminate: "", asset: "" },
    section: "advanced",
    control: "paths",
    label: "options.advanced",
    labels: {
      requestUpload: "options.uploadPath",
      terminate: "options.endPath",
      asset: "options.assetPath",
    },
  }),
  /** True if the upload host is sent the account's authorization. */
  uploadAuthorization: onOff({
    first: false,
    // Otherwise an upload host could be sent two authorizations at once.
    untold: true,
    section: "advanced",
    label: "options.uploadToken",
    hint: "options.uploadTokenHint",
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

export type Settings = { -readonly [Name in SettingName]: (typeof SETTINGS)[Name]["first"] };

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

function valuesBy(choose: (entry: Setting<unknown>, name: SettingName) => unknown): Settings {
  const values = SETTING_NAMES.map((name) => [name, choose(SETTINGS[name] as Setting<unknown>, name)]);
  return Object.fromEntries(values) as Settings;
}

export const DEFAULT_SETTINGS: Settings = valuesBy(({ first }) => first);

/** The settings that the offscreen document assumes until it is told. */
export const UNTOLD_SETTINGS: Settings = valuesBy(({ first, untold }) => untold ?? first);

/** Reads what is stored, whatever a broken profile or another version left. */
function parse(stored: unknown): { settings: Settings; refused: PlainKey[] } {
  const found = isObject(stored) ? stored : {};
  const refused = new Set<PlainKey>();
  const settings = valuesBy(({ schema, first, label, labels = {} }, name) => {
    const given = name === "fields" ? withOwnFields(found.fields) : found[name];
    if (given === undefined) return first;
    const { kept, paths } = withoutRefused(schema, given);
    for (const [part = ""] of paths) refused.add(labels[part] ?? label ?? "options.title");
    const whole = isObject(first) && isObject(kept) ? { ...first, ...kept } : kept;
    return v.is(schema, whole) ? whole : first;
  });
  return { settings, refused: [...refused] };
}

/** The settings that an organization may set for its people: `public/managed-schema.json` tells the browser the same. */
export const MANAGED = ["address", "accountName"] as const satisfies SettingName[];

type ManagedSettings = Partial<Pick<Settings, (typeof MANAGED)[number]>>;

/** Milliseconds for the browser to say what an organization sets: three seconds after each start of Chromium. */
const POLICY_TIMEOUT = 10_000;

/**
 * Resolves once what an organization sets, by its browser's policies, is stored as it is now: nobody but who sends the
 * token has to wait for it.
 */
export async function readManaged(): Promise<void> {
  // A browser without policies has no such area, or refuses to read it; Firefox has none without a manifest of them.
  const area = chrome.storage.managed?.get([...MANAGED]).catch(() => undefined);
  await within(POLICY_TIMEOUT, Promise.resolve(area).then(keepPolicy), () => {});
}

async function keepPolicy(policy: Record<string, unknown> = {}): Promise<void> {
  const { policy: known = {} } = await chrome.storage.local.get("policy");
  // Readers of the settings hear of it, as of any change.
  if (JSON.stringify(known) !== JSON.stringify(policy)) await chrome.storage.local.set({ policy });
}

function managedBy(policy: unknown): ManagedSettings {
  const { address, accountName } = isObject(policy) ? policy : {};
  const isUsable = typeof address === "string" && !isRefused(() => readBaseUrl(address));
  if (address !== undefined && !isUsable) console.warn("The organization's address can't be used");
  return {
    ...(isUsable && { address: readBaseUrl(address) }),
    ...(typeof accountName === "string" && { accountName }),
  };
}

export const readSettings = async (): Promise<Settings> => (await readAccount()).settings;

/** Tells whether new uploads would go without what was set for them, and so wait until a person has looked. */
export function holdsUploads(refused: readonly PlainKey[]): boolean {
  const { label, labels }: Setting<unknown> = SETTINGS.fields;
  return refused.some((name) => name === label || Object.values(labels ?? {}).includes(name));
}

export interface Account {
  settings: Settings;
  /** Of the service at the address of the settings; empty where there is none. */
  token: string;
  /** True if it was entered and the service hasn't taken it yet. */
  isUnchecked: boolean;
  /** Names of what is stored and can't be used, so that it was left out. */
  refused: PlainKey[];
  /** The settings that an organization sets. */
  managed: ManagedSettings;
}

/**
 * The settings with the token that belongs to them, in one read: pages but those that connect use `readSettings()`. What an
 * organization sets is as it was read last; who sends the token waits for `readManaged()` first.
 */
export async function readAccount(): Promise<Account> {
  const { settings, token, isUnchecked, policy } = await chrome.storage.local.get([
    "settings",
    "token",
    "isUnchecked",
    "policy",
  ]);
  const managed = managedBy(policy);
  const { settings: stored, refused } = parse(settings);
  const used = { ...stored, ...managed };
  // A token never reaches another service than the one it was saved for, though an organization changes the address.
  const isOwn = typeof token === "string" && originOf(used.address) === originOf(stored.address);
  return { settings: used, token: isOwn ? token : "", isUnchecked: isUnchecked === true, refused, managed };
}

/** Saves these settings alone: of the others, also what can't be used stays as it is stored. */
export async function saveSettings(changes: Partial<Omit<Settings, "address">>): Promise<void> {
  await chrome.storage.local.set(await withSettings(changes));
}

/**
 * Saves an account in one write: at no time may one service's token stand beside another's address. A new token counts
 * as unchecked until `noteChecked()`.
 */
export async function saveAccount(
  account: Pick<Settings, "address"> & Partial<Pick<Settings, "paths" | "accountName">>,
  token: string,
): Promise<void> {
  await chrome.storage.local.set({ ...(await withSettings(account)), token, isUnchecked: true });
}

async function withSettings(changes: Partial<Settings>): Promise<{ settings: object }> {
  const { settings } = await chrome.storage.local.get("settings");
  return { settings: { ...(isObject(settings) && settings), ...changes } };
}

/** The service takes the account, or the person wants no check. */
export async function noteChecked(): Promise<void> {
  await chrome.storage.local.remove("isUnchecked");
}

/** True if an account is connected, so that a location can be requested. */
export function isConnected({ settings, token, isUnchecked }: Account): boolean {
  return settings.address !== "" && token !== "" && !isUnchecked;
}
