import { defineConfig } from "wxt";

export default defineConfig({
  imports: false,
  manifestVersion: 3,
  manifest: {
    name: "__MSG_name__",
    description: "__MSG_description__",
    default_locale: "en",
    // The first to carry a Blob in a message: the videos that only their page can read.
    minimum_chrome_version: "148",
    message_serialization: "structured_clone",
    permissions: [
      // The token and the settings.
      "storage",
      // Uploads live longer than the popup and the service worker.
      "offscreen",
      // Ending a stream, and uploading a video, by right-click.
      "contextMenus",
      // Unfinished uploads go on after the browser dropped the offscreen document.
      "alarms",
      // Lists and reads the videos of the page that the person clicks Upcut on, and of no other.
      "activeTab",
      "scripting",
      // Takes the Origin header off the extension's own calls, and keeps the browser from sending them twice; works on
      // granted hosts alone.
      "declarativeNetRequestWithHostAccess",
    ],
    optional_permissions: [
      // Asked for when its setting is turned on: tells the end of uploads.
      "notifications",
      // Asked for when its setting is turned on: keeps the computer awake while uploading.
      "power",
      // Given without a question of its own, with the host of a video: tells which host that video is redirected to, so
      // that the right one is asked for. Sees allowed hosts alone.
      "webRequest",
    ],
    // Asked for by a click: the service's address, and an upload host whose CORS doesn't let us in.
    optional_host_permissions: ["https://*/*", "http://*/*"],
    action: { default_title: "Upcut" },
  },
});
