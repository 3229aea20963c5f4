/** What tests of the popup do and look at again and again. */
import type { Locator } from "playwright-core";
import type { Popup } from "./popup.ts";

export interface PopupActions {
  /** The entry of an upload, by its name. */
  row(title: string): Locator;
  button(name: string): Locator;
  /** Pastes a text into the element that a selector names. @default the page itself */
  paste(text: string, at?: string): Promise<void>;
  /** The words on what has the focus. */
  focused(): Promise<string | null | undefined>;
}

/** A file that a person could choose. */
export const video = { name: "video.mp4", mimeType: "video/mp4", buffer: Buffer.from("video") };

export function actionsOn(popup: Popup): PopupActions {
  return {
    row: (title) =>
      popup.page.getByRole("listitem").filter({ has: popup.page.getByRole("heading", { name: title }) }),
    button: (name) => popup.page.getByRole("button", { name }),
    paste: (text, at = "body") =>
      popup.page.evaluate(
        ([text, at]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text ?? "");
          const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          document.querySelector(at ?? "")?.dispatchEvent(paste);
        },
        [text, at],
      ),
    focused: () =>
      popup.page.evaluate(
        () => document.activeElement?.textContent?.trim() || document.activeElement?.ariaLabel,
      ),
  };
}
