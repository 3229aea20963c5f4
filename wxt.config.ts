import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// The type of the option `i18n`.
import type {} from "@wxt-dev/i18n/module";
import { defineConfig } from "wxt";
import { repack } from "./test/release/repack.ts";

/** What the extension's own pages may load and reach. Frames of uploads are limited further, each to one host. */
const PAGE_POLICY = {
  "default-src": "'none'",
  // The hash of a file, by which it is compared with what the service has stored, is WebAssembly.
  "script-src": "'self' 'wasm-unsafe-eval'",
  "style-src": "'self'",
  // Icons and small pictures, those of pages' posters included: these are fetched and drawn.
  "img-src": "'self' data:",
  // Chosen files, of which a frame is drawn for the list.
  "media-src": "blob:",
  // The service, upload hosts and videos, as far as they are allowed by the person or let everybody read.
  "connect-src": "'self' http: https:",
  "frame-src": "'self'",
  "object-src": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

const policyOf = (directives: Record<string, string>) =>
  Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ");

/**
 * What contexts share is one file: a worker that is woken reads two, and not ten. What only uploads and videos in pieces
 * share is another, which only the offscreen document begins with; and what is for pieces alone is loaded with the first of them.
 */
const GROUPS = [
  { name: "shared", minShareCount: 2, priority: 2, test: /^(?!.*\/core\/(hls|source)\/)/ },
  { name: "sources", minShareCount: 2, priority: 1, test: /\/core\/source\// },
  { name: "pieces", minShareCount: 2, test: /\/core\/hls\// },
];

/**
 * What packages bring along for other browsers, or for uses that aren't ours, and what stands for it here: a tenth of the
 * extension. Where something else of such a file is used one day, the build says so.
 */
const REPLACED: Record<string, string> = {
  // tus-js-client resolves a Location with it, and writes metadata with the other.
  "url-parse/index.js": "export default URL;",
  "js-base64/base64.mjs":
    "export const Base64 = { encode: (text) => new TextEncoder().encode(text).toBase64() };",
  // Core refuses files that are encrypted, and decrypts pieces itself.
  "mediabunny/dist/modules/src/aes.js": `
    export * from "./aes.js?whole";
    export class Aes128CbcContext {}`,
  // Titles and covers in front of sound: what they take up has to be known, but not what they say.
  "mediabunny/dist/modules/src/id3.js": `
    export * from "./id3.js?whole";
    export const parseId3V1Tag = () => {};
    export const parseId3V2Tag = () => {};
    export class Id3V2Writer {}`,
  // Checks of what a file could be told about itself, which ours are not.
  "mediabunny/dist/modules/src/metadata.js": `
    export * from "./metadata.js?whole";
    export const validateMetadataTags = () => {};
    export const validateTrackDisposition = () => {};`,
  // What every browser has.
  "mediabunny/dist/modules/src/misc.js": `
    export * from "./misc.js?whole";
    export const { TextDecoder } = globalThis;
    export const textDecoder = new TextDecoder();
    export const textEncoder = new TextEncoder();`,
};

const withReplaced = {
  name: "with-replaced",
  load: (id: string) => Object.entries(REPLACED).find(([file]) => id.endsWith(`/node_modules/${file}`))?.[1],
};

/** What only makes a page's source readable. A line's end stays, since between words it is a space. */
const withoutIndents = {
  name: "without-indents",
  transformIndexHtml: { order: "post" as const, handler: (html: string) => html.replace(/\n\s+/g, "\n") },
};

/** The list beside the page. */
const PANEL = "popup.html?panel";

const CHROMIUM_KEYS = {
  // The first to carry a Blob in a message: the videos that only their page can read.
  minimum_chrome_version: "148",
  message_serialization: "structured_clone",
  side_panel: { default_path: PANEL },
  // What an organization may set for its people. Firefox takes it from a manifest of its own, and needs none of this.
  storage: { managed_schema: "managed-schema.json" },
};

const FIREFOX_KEYS = {
  browser_specific_settings: {
    gecko: {
      // The extension's storage belongs to this name, which so never changes.
      id: "upcut@upcut.example",
      // The oldest that it was tried in.
      strict_min_version: "153.0",
      // What the person's own service is sent; docs/store/permissions.md says when.
      data_collection_permissions: { required: ["authenticationInfo", "websiteContent"] },
    },
  },
  sidebar_action: { default_title: "__MSG_name__", default_panel: PANEL, open_at_install: false },
};

export default defineConfig({
  imports: false,
  modules: ["@wxt-dev/i18n/module"],
  i18n: { localesDir: fileURLToPath(new URL("entrypoints/locales", import.meta.url)) },
  vite: () => ({
    plugins: [withReplaced, withoutIndents],
    build: {
      // The polyfill would look for a document in the worker.
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
    },
  }),
  // Two builds of the same sources give the same bytes.
  zip: { name: "upcut" },
  hooks: {
    // Messages are written for readers, too.
    "build:done": async ({ config: { outDir } }, { publicAssets }) => {
      for (const { fileName } of publicAssets) {
        if (!fileName.endsWith("messages.json")) continue;
        const path = join(outDir, fileName);
        await writeFile(path, JSON.stringify(JSON.parse(await readFile(path, "utf8"))));
      }
    },
    "zip:extension:done": (_, path) => repack(path),
    "zip:sources:done": (_, path) => repack(path),
  },
  manifestVersion: 3,
  manifest: ({ browser, command }) => ({
    name: "__MSG_name__",
    description: "__MSG_description__",
    default_locale: "en",
    ...(browser === "firefox" ? FIREFOX_KEYS : CHROMIUM_KEYS),
    permissions: [
      // The token and the settings.
      "storage",
      // Uploads live longer than the popup and the service worker. In Firefox they are in the background's own page.
      ...(browser === "firefox" ? [] : ["offscreen"]),
      // Ending a stream, and uploading a video, by right-click.
      "contextMenus",
      // Unfinished uploads go on after the browser dropped the offscreen document.
      "alarms",
      // Lists and reads the videos of the page that the person clicks Upcut on, and of no other.
      "activeTab",
      "scripting",
      // Takes the Origin header off the extension's own calls, and keeps the browser from sending them twice; gives the
      // requests for pieces of a video the referrer of their page. Works on granted hosts alone.
      "declarativeNetRequestWithHostAccess",
      // The list beside the page, which stays open. Firefox's sidebar needs no permission.
      ...(browser === "firefox" ? [] : ["sidePanel"]),
    ],
    optional_permissions: [
      // Asked for when its setting is turned on: tells the end of uploads.
      "notifications",
      // Asked for when its setting is turned on: keeps the computer awake while uploading. Firefox can't.
      ...(browser === "firefox" ? [] : ["power"]),
      // Given without a question of its own, with the host of a video: tells which host that video is redirected to, so
      // that the right one is asked for. Sees allowed hosts alone.
      "webRequest",
    ],
    // Asked for by a click: the service's address, and an upload host whose CORS doesn't let us in.
    optional_host_permissions: ["https://*/*", "http://*/*"],
    // Firefox puts the icon into a menu of extensions otherwise.
    action: { default_title: "__MSG_name__", ...(browser === "firefox" && { default_area: "navbar" }) },
    // The popup by keyboard; people change the keys at chrome://extensions/shortcuts.
    commands: {
      _execute_action: { suggested_key: { default: "Alt+Shift+U" }, description: "__MSG_shortcut__" },
    },
    // The token and the list would be shared with private windows, and tell of them what was uploaded there.
    incognito: "not_allowed",
    content_security_policy: {
      extension_pages: policyOf({
        ...PAGE_POLICY,
        // Firefox would keep the frames of uploads out as well; no page can frame what no page can reach.
        ...(browser !== "firefox" && { "frame-ancestors": "'self'" }),
        // `npm run dev` tells pages of changes by a web socket.
        ...(command === "serve" && { "connect-src": `${PAGE_POLICY["connect-src"]} ws:` }),
      }),
    },
  }),
});
