/** A browser with the extension on a display, used as a person does: by mouse and keyboard, and every click counted. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { type Display, startDisplay } from "../browser/display.ts";
import type { Picture } from "../browser/framebuffer.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { type Attached, attach, findTarget, targets } from "./raw-target.ts";

/** A page of the browser: a tab, the popup, the side panel. */
interface Shown {
  evaluate<T>(expression: string): Promise<T>;
}

export interface OpenedPopup extends Attached {
  id: string;
}

export interface Screen {
  extension: Extension;
  display: Display;
  /** Clicks since the last call. */
  takeClicks(): number;
  clickAt(x: number, y: number, button?: "left" | "right"): Promise<void>;
  /** Clicks the middle of an element once it is there and can be used. */
  clickOn(page: Shown, selector: string, button?: "left" | "right"): Promise<void>;
  type(text: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
  /** Puts the icon onto the toolbar, as the options say it. */
  pin(): Promise<void>;
  /** Clicks the icon on the toolbar. */
  clickIcon(button?: "left" | "right"): Promise<void>;
  /** Opens the popup by its icon, above the tab in front. */
  openPopup(): Promise<OpenedPopup>;
  /** The popup that is there, and is no earlier one. */
  findPopup(earlier?: string): Promise<OpenedPopup>;
  /** The side panel, once it is there. */
  findPanel(): Promise<Attached>;
  /** Enters a path into the dialog of the desktop that chooses files, and presses its button. */
  chooseInDialog(path: string): Promise<void>;
  /** Answers the browser's question for a permission by its button. */
  answer(answer: "Allow" | "Deny"): Promise<void>;
  /** Clicks the notification that is shown in the corner of the display. */
  clickNotification(): Promise<void>;
  /** Leaves a picture of the display in the folder that `UPCUT_PICTURES` names, if it does. */
  shoot(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds for a dialog to take what it is given: it shows before that. */
const DIALOG_TIME = 1000;
const WINDOW = { width: 1200, height: 850 };
/** Where icons of extensions are, right of the field for addresses. */
const TOOLBAR = { x: WINDOW.width - 220, y: 40, width: 220, height: 45 };
/** The colour of the icon. */
const INDIGO = 0x4f46e5;
/** Titles of the dialogs that choose files: of an input, and of a page's own picker. */
const FILE_DIALOG = "^(Open File|Select files)";

/**
 * Starts display and browser.
 *
 * @param userDataDir a profile in which the extension is installed. @default a new one, as at the install
 */
export async function openScreen(userDataDir?: string): Promise<Screen> {
  const display = await startDisplay();
  const extension = await loadOn(display, userDataDir).catch(async (error) => {
    await display.close();
    throw error;
  });
  let clicks = 0;
  let shots = 0;
  const folder = process.env.UPCUT_PICTURES;
  if (folder !== undefined) await mkdir(folder, { recursive: true });

  const screen: Screen = {
    extension,
    display,
    takeClicks() {
      const taken = clicks;
      clicks = 0;
      return taken;
    },
    async clickAt(x, y, button = "left") {
      clicks++;
      await display.act("mousemove", `${Math.round(x)}`, `${Math.round(y)}`);
      await delay(100);
      await display.act("click", button === "left" ? "1" : "3");
    },
    async clickOn(page, selector, button) {
      const [x, y] = await placeOf(page, selector);
      await screen.clickAt(x, y, button);
    },
    async type(text) {
      await display.act("type", "--delay", "20", text);
    },
    async press(...keys) {
      await display.act("key", ...keys);
    },
    async pin() {
      await screen.clickAt(WINDOW.width - 112, TOOLBAR.y + 22);
      const menu = { x: WINDOW.width - 420, y: TOOLBAR.y + TOOLBAR.height, width: 420, height: 250 };
      const [, y] = await placeOfIcon(display, menu);
      await screen.shoot("menu of extensions");
      await screen.clickAt(WINDOW.width - 182, y);
      await placeOfIcon(display, TOOLBAR);
      await screen.press("Escape");
    },
    async clickIcon(button) {
      await screen.clickAt(...(await placeOfIcon(display, TOOLBAR)), button);
    },
    async openPopup() {
      await screen.clickIcon();
      return await screen.findPopup();
    },
    async findPopup(earlier) {
      const find = async () =>
        (await targets(extension)).find(
          ({ url, targetId }) => url.endsWith("/popup.html") && targetId !== earlier,
        )?.targetId;
      await expect.poll(find, { timeout: 30_000 }).toBeDefined();
      const id = (await find()) ?? "";
      return { ...(await attach(extension.browser, id)), id };
    },
    async findPanel() {
      const { targetId } = await findTarget(extension, "/popup.html?panel");
      const panel = await attach(extension.browser, targetId);
      // It takes itself for the whole window: the mouse tells where it is.
      await panel.evaluate(`addEventListener("mousemove", ({ screenX, clientX, screenY, clientY }) => {
        globalThis.placeOnScreen = [screenX - clientX, screenY - clientY];
      }, { once: true })`);
      const isTold = async () => {
        await display.act("mousemove", `${WINDOW.width - 100}`, `${400 + Math.round(Math.random() * 50)}`);
        return await panel.evaluate<boolean>("globalThis.placeOnScreen !== undefined");
      };
      await expect.poll(isTold).toBe(true);
      return panel;
    },
    async chooseInDialog(path) {
      const find = () => display.act("search", "--onlyvisible", "--name", FILE_DIALOG).catch(() => "");
      await expect.poll(find, { timeout: 30_000 }).not.toBe("");
      const [dialog = ""] = (await find()).split("\n");
      // What is typed before that goes to the window below.
      const focused = () => display.act("getwindowfocus").catch(() => "");
      await expect.poll(focused, { timeout: 30_000 }).toBe(dialog);
      await delay(DIALOG_TIME);
      await screen.type(path);
      await delay(DIALOG_TIME);
      await screen.shoot("file dialog");
      const isGone = () =>
        expect
          .poll(find, { timeout: 10_000 })
          .not.toContain(dialog)
          .then(
            () => true,
            () => false,
          );
      const earlier = clicks;
      for (let tries = 0; tries < 3; tries++) {
        await screen.clickAt(...(await placeOfOpen(display, dialog)));
        // A person sees a busy machine move the button away, and clicks once.
        clicks = earlier + 1;
        if (await isGone()) return;
      }
      throw new Error("the dialog stays open");
    },
    async answer(answer) {
      const find = async () => findButtons(await display.look());
      await expect.poll(find, { timeout: 30_000 }).toHaveLength(2);
      // It takes no clicks in its first moments, so that nobody allows by accident.
      await delay(DIALOG_TIME);
      await screen.shoot("question");
      const [deny, allow] = await find();
      const button = answer === "Allow" ? allow : deny;
      if (button === undefined) throw new Error("the browser's question has gone");
      await screen.clickAt(...button);
    },
    async clickNotification() {
      const { width, height } = await display.look();
      const [x, y] = await placeOfIcon(display, { x: width - 120, y: height - 120, width: 120, height: 120 });
      await screen.shoot("notification");
      await screen.clickAt(x - 150, y);
    },
    async shoot(name) {
      if (folder === undefined) return;
      // What moves has come to rest.
      await delay(500);
      const path = join(folder, `${String(++shots).padStart(2, "0")} ${name}.png`);
      await writeFile(path, (await display.look()).png());
    },
    async close() {
      await extension.close();
      await display.close();
    },
  };
  return screen;
}

async function loadOn({ name }: Display, userDataDir?: string): Promise<Extension> {
  const { DISPLAY, DBUS_SESSION_BUS_ADDRESS } = process.env;
  // No desktop but this one, which would show the notifications.
  Object.assign(process.env, { DISPLAY: name, DBUS_SESSION_BUS_ADDRESS: "unix:path=/dev/null" });
  const args = ["--no-sandbox", `--window-size=${WINDOW.width},${WINDOW.height}`, "--window-position=0,0"];
  try {
    const profile = userDataDir === undefined ? {} : { userDataDir };
    return await loadExtension({ headless: false, args, ...profile });
  } finally {
    for (const [variable, value] of Object.entries({ DISPLAY, DBUS_SESSION_BUS_ADDRESS })) {
      if (value === undefined) delete process.env[variable];
      else process.env[variable] = value;
    }
  }
}

/** Where the middle of an element is on the display, once it stays there. */
async function placeOf(page: Shown, selector: string): Promise<[number, number]> {
  const look = () =>
    page.evaluate<[number, number] | null>(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element === null || element.disabled || !element.checkVisibility()) return null;
      const { x, y, width, height } = element.getBoundingClientRect();
      const [midX, midY] = [x + width / 2, y + height / 2];
      const hit = document.elementFromPoint(midX, midY);
      if (hit === null || !(element.contains(hit) || hit.contains(element))) {
        // As with the wheel of the mouse.
        element.scrollIntoView({ block: "center" });
        return null;
      }
      const [left, top] = globalThis.placeOnScreen ?? [screenX, screenY + outerHeight - innerHeight];
      return [left + midX, top + midY];
    })()`);
  let last: [number, number] | null = null;
  await expect
    .poll(
      async () => {
        const before = last;
        last = await look();
        return last !== null && before?.join() === last.join();
      },
      { message: `${selector} can't be clicked` },
    )
    .toBe(true);
  return last ?? [0, 0];
}

/** Where the button is on the display that takes what the dialog for files has. */
async function placeOfOpen(display: Display, dialog: string): Promise<[number, number]> {
  const geometry = await display.act("getwindowgeometry", "--shell", dialog);
  const [x = 0, y = 0, width = 0, height = 0] = ["X", "Y", "WIDTH", "HEIGHT"].map((name) =>
    Number(new RegExp(`^${name}=(-?\\d+)$`, "m").exec(geometry)?.[1]),
  );
  return [x + width - 49, y + height - 24];
}

/** Where the icon is in a part of the display, once it is there. */
async function placeOfIcon(
  display: Display,
  { x, y, width, height }: typeof TOOLBAR,
): Promise<[number, number]> {
  const look = async () => {
    const { colorAt } = await display.look();
    const found: [number, number][] = [];
    for (let row = y; row < y + height; row++)
      for (let column = x; column < x + width; column++)
        if (colorAt(column, row) === INDIGO) found.push([column, row]);
    return found;
  };
  await expect
    .poll(async () => (await look()).length, { message: "the icon isn't there" })
    .toBeGreaterThan(50);
  // What comes in slides to its place.
  await delay(DIALOG_TIME);
  const all = await look();
  const middle = (place: 0 | 1) => all.reduce((sum, each) => sum + each[place], 0) / all.length;
  return [middle(0), middle(1)];
}

/**
 * The middles of the buttons of the browser's question, from left to right; none while it isn't there.
 *
 * It is no window of its own to the display, but the one thing that is white where all else is dimmed: in the middle of
 * the browser, with its buttons near its lower edge.
 */
function findButtons({ colorAt }: Picture): [number, number][] {
  const WHITE = 0xffffff;
  const middle = WINDOW.width / 2;
  const column = Array.from({ length: WINDOW.height }, (_, y) => y);
  const bottom = column.findLast((y) => colorAt(middle, y) === WHITE) ?? 0;
  let [left, right] = [middle, middle];
  const row = bottom - 8;
  while (left > 0 && colorAt(left - 1, row) === WHITE) left--;
  while (right < WINDOW.width && colorAt(right + 1, row) === WHITE) right++;
  // A page has it over all its width.
  if (bottom < 100 || right - left < 200 || right - left > WINDOW.width / 2) return [];
  const buttons: [number, number][] = [];
  for (let x = left, from = left; x <= right; x++) {
    // Above their words, which may be white.
    if (colorAt(x, bottom - 50) !== WHITE) continue;
    if (x - from > 30) buttons.push([(from + x) / 2, bottom - 38]);
    from = x;
  }
  return buttons;
}
