/** Settings of the person. Kept in storage.local, which only the extension's own pages and worker can read. */
import * as v from "valibot";
import type { UploadOptions } from "../../core/mod.ts";
import {
  checkAssetRequest,
  isUpcutError,
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestFields,
} from "../../core/validate.ts";
import { STREAM_MENUS, type StreamMenu } from "./stream-pages.ts";

type UploadMethod = NonNullable<UploadOptions["method"]>;

/** How files can be sent. */
export const METHODS: readonly UploadMethod[] = ["auto", "resumable", "direct"];

/** The fields of a create-asset request that a draft starts with, and that its form edits. */
export interface UploadFields extends Omit<RequestFields, "name"> {
  /** Further request fields, passed through: the interface leaves two unnamed. */
  further: Record<string, unknown>;
}

export interface Settings {
  /** Base address of the service, empty until it is set. */
  address: string;
  /** Overrides of the documented paths, empty for the documented ones. */
  paths: { requestUpload: string; terminate: string };
  /** True if the upload host is sent the account's authorization. */
  uploadAuthorization: boolean;
  method: UploadMethod;
  fields: UploadFields;
  /** Keeps new uploads as drafts until they are started, instead of starting them after a few seconds. */
  reviewFirst: boolean;
  uploadsAtATime: number;
  notifications: boolean;
  keepAwake: boolean;
  confirmTerminate: boolean;
  /** Matches addresses of pages that are about one stream; its first group is the id. Empty turns it off. */
  streamPage: string;
  /** On which pages the menu offers to end a stream; the toolbar icon's menu offers it everywhere. */
  streamMenu: StreamMenu;
  /** The addresses of those pages where some are named, as the person wrote them. */
  streamMenuPages: string[];
  /** Address of a page that plays an asset, with {playbackId} and {assetId}; empty where there is none. */
  playbackPage: string;
}

/** Asks for nothing. */
const NO_FIELDS: UploadFields = {
  ...Object.fromEntries(
    REQUEST_FIELD_NAMES.flatMap((name) => (REQUEST_FIELDS[name].control === "switch" ? [[name, false]] : [])),
  ),
  further: {},
};

export const DEFAULT_SETTINGS: Settings = {
  address: "",
  paths: { requestUpload: "", terminate: "" },
  uploadAuthorization: false,
  method: "auto",
  fields: NO_FIELDS,
  reviewFirst: false,
  uploadsAtATime: 2,
  notifications: false,
  keepAwake: false,
  confirmTerminate: true,
  streamPage: "/streams?/([^/?#]+)",
  streamMenu: "service",
  streamMenuPages: [],
  playbackPage: "",
};

const text = (fallback: string) => v.fallback(v.string(), fallback);
const flag = (fallback: boolean) => v.fallback(v.boolean(), fallback);

/** Fields of a request that core would send. */
export const uploadFieldsSchema: v.GenericSchema<unknown, UploadFields> = v.custom<UploadFields>((value) => {
  if (typeof value !== "object" || value === null) return false;
  const { further, ...others } = value as UploadFields;
  try {
    checkAssetRequest(
      Object.fromEntries(REQUEST_FIELD_NAMES.map((name) => [name, (others as RequestFields)[name]])),
    );
    return typeof further === "object" && further !== null;
  } catch (error) {
    if (isUpcutError(error)) return false;
    throw error;
  }
});

/** Reads settings whatever a broken profile left: each field that doesn't fit falls back to its default. */
const settingsSchema: v.GenericSchema<unknown, Settings> = v.fallback(
  v.object({
    address: text(""),
    paths: v.fallback(v.object({ requestUpload: text(""), terminate: text("") }), DEFAULT_SETTINGS.paths),
    uploadAuthorization: flag(false),
    method: v.fallback(v.picklist(METHODS), DEFAULT_SETTINGS.method),
    fields: v.fallback(uploadFieldsSchema, DEFAULT_SETTINGS.fields),
    reviewFirst: flag(false),
    uploadsAtATime: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)), 2),
    notifications: flag(false),
    keepAwake: flag(false),
    confirmTerminate: flag(true),
    streamPage: text(DEFAULT_SETTINGS.streamPage),
    streamMenu: v.fallback(v.picklist(STREAM_MENUS), DEFAULT_SETTINGS.streamMenu),
    streamMenuPages: v.fallback(v.array(v.string()), DEFAULT_SETTINGS.streamMenuPages),
    playbackPage: text(""),
  }),
  DEFAULT_SETTINGS,
) as v.GenericSchema<unknown, Settings>;

export async function readSettings(): Promise<Settings> {
  const { settings } = await chrome.storage.local.get("settings");
  return v.parse(settingsSchema, settings);
}

/**
 * Saves the settings, and a new token with them in one write: at no time may one service's token stand beside
 * another's address.
 */
export async function saveSettings(settings: Settings, token?: string): Promise<void> {
  await chrome.storage.local.set({ settings, ...(token !== undefined && { token }) });
}

/** The settings with the token that belongs to them, in one read: only the background and the options page do. */
export async function readAccount(): Promise<{ settings: Settings; token: string }> {
  const { settings, token } = await chrome.storage.local.get(["settings", "token"]);
  return { settings: v.parse(settingsSchema, settings), token: typeof token === "string" ? token : "" };
}

/** Tells whether enough is set to ask for a location. */
export async function isReady(): Promise<boolean> {
  const { settings, token } = await readAccount();
  return settings.address !== "" && token !== "";
}
