/** What the real popup lists of the page it was opened above. */
import type { Page } from "playwright-core";
import type { Extension } from "./extension.ts";
import { openRealPopup, targets, until } from "./raw-target.ts";

export interface ListedVideo {
  title: string;
  kind: string;
  /** Of another site than the page's. */
  host?: string;
  facts: string;
  /** Why it can't be taken, for what can't. */
  reason?: string;
  ticked?: boolean;
  picture?: "thumbnail" | "poster";
  /** What is wrong with it. */
  note?: string;
  /** The qualities that can be chosen, the one that is taken first. */
  qualities?: string[];
}

export type RealPopup = Awaited<ReturnType<typeof openPopupAbove>>;

/** Opens the real popup above a page, which gives it the right to look into it. */
export async function openPopupAbove(extension: Extension, page: Page) {
  await page.bringToFront();
  const popup = await openRealPopup(extension, page.url());
  /** Opens the section of the page's videos, once the page has been searched. */
  const settle = () =>
    until(() =>
      popup.evaluate<string | undefined>(`(() => {
        const line = document.getElementById("page-videos-line");
        if (line?.ariaExpanded === "false") line.click();
        return line?.innerText.trim();
      })()`),
    );
  const press = (button: string) =>
    popup.evaluate<boolean>(`(() => {
      const button = ${button};
      if (!button || button.disabled || button.ariaDisabled === "true") return false;
      button.focus();
      button.click();
      button.dataset.pressed = "yes";
      return true;
    })()`);
  const pressSoon = async (button: string) => void (await until(() => press(button)));
  return {
    ...popup,
    click: (name: string) =>
      pressSoon(
        `[...document.querySelectorAll("button")].find((each) => each.checkVisibility() && each.textContent.trim() === ${JSON.stringify(name)})`,
      ),
    /** Ticks all that can be taken, uploads them, and starts each with the draft's name. */
    async uploadAll() {
      // What is said once all is listed: what only its server knows to be a video comes last.
      await until(() =>
        popup.evaluate('document.getElementById("page-videos-found")?.textContent || undefined'),
      );
      await settle();
      const count = await popup.evaluate<number>(`(() => {
        for (const box of document.querySelectorAll("#page-videos-list input:not(:checked)")) box.click();
        return document.querySelectorAll("#page-videos-list input").length;
      })()`);
      await pressSoon('document.getElementById("upload-picked")');
      for (let started = 0; started < count; started++)
        await pressSoon(`document.querySelector("#list [data-act=start]:not([data-pressed])")`);
    },
    /** The words of the line that opens them. */
    state: settle,
    /** Waits until the page has been searched, and returns what is listed. */
    async listed() {
      await settle();
      return await popup.evaluate<ListedVideo[]>(`(${readList})()`);
    },
    /** The sentences about frames of other sites. */
    closedFrames: () =>
      popup.evaluate<string[]>(
        "[...document.querySelectorAll('#closed-frames p')].map((each) => each.textContent)",
      ),
    async close() {
      await popup.evaluate("void setTimeout(() => window.close())");
      await popup.detach();
      await until(async () => !(await targets(extension)).some(({ url }) => url.endsWith("/popup.html")));
    },
  };
}

/** Runs in the popup. */
const readList = `function () {
  const text = (row, selector) => row.querySelector(selector)?.textContent.replace(/\\s+/g, " ").trim();
  return [...document.querySelectorAll("#page-videos-list > li")].map((row) => {
    const reason = text(row, ".reason");
    const kind = text(row, ".kind");
    const host = text(row, ".host");
    const options = [...row.querySelectorAll("[id^=quality-] + select option")].sort((a, b) => b.selected - a.selected);
    const picture = row.querySelector("img")?.getAttribute("src");
    return {
      title: text(row, ".title"),
      kind,
      facts: text(row, ".facts").slice(kind.length + 3),
      ...(host !== undefined && { host }),
      ...(reason !== undefined && { reason }),
      ...(reason === undefined && { ticked: row.querySelector("input").checked }),
      ...(text(row, ".problem") && { note: text(row, ".problem") }),
      ...(options.length > 0 && { qualities: options.map((each) => each.textContent.replace(/\\s+/g, " ")) }),
      ...(picture && { picture: picture.startsWith("data:") ? "thumbnail" : "poster" }),
    };
  });
}`;
