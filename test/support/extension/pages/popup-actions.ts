/** What tests of the popup do and look at again and again. */
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import type { DialogNote } from "../../../../entrypoints/shared/dialog-note.ts";
import type { OffscreenCommand } from "../../../../entrypoints/shared/messages.ts";
import { play } from "./fake-chrome.ts";
import type { Popup, PopupOptions } from "./popup.ts";
import { recordOf, type usePopup } from "./use-pages.ts";

export const video = { name: "video.mp4", mimeType: "video/mp4", buffer: Buffer.from("video") };

export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((it) => it === document.activeElement);

export type PopupActions = ReturnType<typeof actionsOn>;

export function actionsOn(popup: Popup) {
  return {
    /** The entry of an upload, by its name. */
    row: (title: string) =>
      popup.page.getByRole("listitem").filter({ has: popup.page.getByRole("heading", { name: title }) }),
    rows: () => popup.page.locator("#list > li"),
    alert: (hasText: string) => popup.page.getByRole("alert").filter({ hasText }),
    /** What is said aloud. */
    status: () => popup.page.locator("#status").textContent(),
    /** Stores settings as another page does. */
    store: (items: Record<string, unknown>) => play(popup.page, "store", items),
    /** What the offscreen document is told, once it is as expected. */
    expectAsks: () => expect.poll(() => popup.asks()),
    button: (name: string | RegExp) => popup.page.getByRole("button", { name }),
    /** Pastes a text into the element that a selector names. @default the page itself */
    paste: (text: string, at = "body") =>
      popup.page.evaluate(
        ([text, at]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text ?? "");
          const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          document.querySelector(at ?? "")?.dispatchEvent(paste);
        },
        [text, at],
      ),
    /** The words on what has the focus. */
    focused: () =>
      popup.page.evaluate(
        () => document.activeElement?.textContent?.trim() || document.activeElement?.ariaLabel,
      ),
    lastAsk: async () => (await popup.asks()).at(-1),
    /** The dialog that the popup has noted. */
    noted: async () => (await recordOf(popup.page)).session.dialog as DialogNote | undefined,
    /** Waits until all that has changed is on the screen. */
    laidOut: () =>
      popup.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      ),
    /** Stops a clock that the test moves. */
    pause: async () => popup.page.clock.pauseAt((await popup.page.evaluate(() => Date.now())) + 1000),
  };
}

type Addresses = Extract<OffscreenCommand, { type: "addresses" }>;

export function videosOn(popup: ReturnType<typeof usePopup>) {
  const section = () => popup.page.getByRole("region", { name: "Videos on this page" });
  return {
    section,
    /** The line of the page's videos, which opens their section. */
    line: () => popup.page.locator("#page-videos-line"),
    openWith: async (options?: PopupOptions) => {
      await popup.open(options);
      await popup.page.locator("#page-videos-line").click();
    },
    box: (title: string) => section().getByRole("checkbox", { name: title, exact: true }),
    upload: () => section().getByRole("button", { name: /^Upload/ }),
    lookAgain: () => section().getByRole("button", { name: "Look again" }).click(),
    /** What was handed over by address. */
    handedOver: async () => (await popup.asks()).filter(({ type }) => type === "addresses") as Addresses[],
  };
}
