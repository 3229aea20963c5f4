/** A browser with the extension on a display, used as a person does: by mouse and keyboard, and every click counted. */
import { setTimeout as delay } from "node:timers/promises";
import { type Display, startDisplay } from "../browser/display.ts";
import type { Picture } from "../browser/framebuffer.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { type Attached, attach, findTarget, targets, until } from "./raw-target.ts";

/** A page of the browser: a tab, the popup, the side panel. */
interface Shown {
  evaluate<T>(expression: string): Promise<T>;
}

export type Screen = Awaited<ReturnType<typeof openScreen>>;

/** Milliseconds for what was clicked to show it, before it is clicked again. */
const CLICK_TIME = 10_000;
/** The same for the browser's own questions, which take no click for half a second after they are shown. */
const ANSWER_TIME = 1_000;
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
export async function openScreen(userDataDir?: string) {
  const display = await startDisplay();
  const extension = await loadOn(display, userDataDir).catch(async (error) => {
    await display.close();
    throw error;
  });
  let clicks = 0;

  const popups = async () => (await targets(extension)).filter(({ url }) => url.endsWith("/popup.html"));

  const screen = {
    extension,
    /** Clicks since the last call. */
    takeClicks(): number {
      const taken = clicks;
      clicks = 0;
      return taken;
    },
    async clickAt(x: number, y: number): Promise<void> {
      clicks++;
      const place = [x, y].map((each) => `${Math.round(each)}`);
      await display.act("mousemove", ...place, "click", "1");
    },
    /** Clicks the middle of an element once it is there and can be used. */
    async clickOn(page: Shown, selector: string): Promise<void> {
      await page.evaluate(`addEventListener("pointerdown", () => { globalThis.wasClicked = true; }, true)`);
      const click = async () => {
        await page.evaluate("globalThis.wasClicked = false");
        await screen.clickAt(...(await placeOf(page, selector)));
      };
      // A page that is gone was closed by it.
      await once(click, () => page.evaluate<boolean>("globalThis.wasClicked").catch(() => true));
    },
    async type(text: string): Promise<void> {
      await display.act("type", "--delay", "20", text);
    },
    async press(...keys: string[]): Promise<void> {
      await display.act("key", ...keys);
    },
    /** Puts the icon onto the toolbar, as the options say it. */
    async pin(): Promise<void> {
      const menu = { x: WINDOW.width - 420, y: TOOLBAR.y + TOOLBAR.height, width: 420, height: 250 };
      await once(
        () => screen.clickAt(WINDOW.width - 112, TOOLBAR.y + 22),
        async () => (await iconIn(display, menu)).length > 0,
      );
      const [, y] = await placeOfIcon(display, menu);
      await once(
        () => screen.clickAt(WINDOW.width - 182, y),
        async () => (await iconIn(display, TOOLBAR)).length > 0,
      );
      await screen.press("Escape");
    },
    async clickIcon(): Promise<void> {
      await screen.clickAt(...(await placeOfIcon(display, TOOLBAR)));
    },
    async leavePopup(): Promise<void> {
      await screen.press("Escape");
      // A popup that opened by itself has no focus, which the key would need.
      for (const { targetId } of await popups())
        await extension.browser.send("Target.closeTarget", { targetId }).catch(() => {});
      await until(async () => (await popups()).length === 0);
    },
    /** Opens the popup by its icon, above the tab in front. */
    async openPopup(): Promise<Attached & { id: string }> {
      // A click would close one that is still there.
      await screen.leavePopup();
      await once(
        () => screen.clickIcon(),
        async () => (await popups()).length > 0,
      );
      return await screen.findPopup();
    },
    /** The popup that is there, and is no earlier one. */
    async findPopup(earlier?: string): Promise<Attached & { id: string }> {
      const { targetId: id } = await until(async () =>
        (await targets(extension)).find(
          ({ url, targetId }) => url.endsWith("/popup.html") && targetId !== earlier,
        ),
      );
      return { ...(await attach(extension.browser, id)), id };
    },
    async findPanel(): Promise<Attached> {
      const { targetId } = await findTarget(extension, "/popup.html?panel");
      const panel = await attach(extension.browser, targetId);
      // The panel takes itself for the whole window: the mouse tells where it is, once it has slid in.
      await panel.evaluate(`addEventListener("mousemove", ({ screenX, clientX, screenY, clientY }) => {
        globalThis.placeOnScreen = [screenX - clientX, screenY - clientY];
      })`);
      let [last, times] = ["", 0];
      await until(async () => {
        await display.act("mousemove", `${WINDOW.width - 100}`, `${400 + (times % 2)}`);
        const place = await panel.evaluate<string>("String(globalThis.placeOnScreen ?? '')");
        times = place === last ? times + 1 : 0;
        last = place;
        return place !== "" && times > 4;
      });
      return panel;
    },
    /** Enters a path into the dialog of the desktop that chooses files, and presses its button. */
    async chooseInDialog(path: string): Promise<void> {
      const find = () => display.act("search", "--onlyvisible", "--name", FILE_DIALOG).catch(() => "");
      const dialog = await until(async () => (await find()).split("\n")[0] || undefined);
      let isAgain = false;
      const enter = async () => {
        // What is typed before that goes to the window below.
        await until(async () => (await display.act("getwindowfocus").catch(() => "")) === dialog);
        if (isAgain) await screen.press("ctrl+a");
        isAgain = true;
        await screen.type(path);
        await screen.clickAt(...(await placeOfOpen(display, dialog)));
      };
      await once(enter, async () => !(await find()).includes(dialog));
    },
    /** Answers the browser's question for a permission by its button. */
    async answer(answer: "Allow" | "Deny"): Promise<void> {
      const find = async () => findButtons(await display.look());
      await until(async () => (await find()).length === 2);
      const click = async () => {
        const [deny, allow] = await find();
        const button = answer === "Allow" ? allow : deny;
        if (button !== undefined) await screen.clickAt(...button);
      };
      await once(click, async () => (await find()).length !== 2, ANSWER_TIME);
    },
    /** Clicks the notification that is shown in the corner of the display. */
    async clickNotification(): Promise<void> {
      const { width, height } = await display.look();
      const [x, y] = await placeOfIcon(display, { x: width - 120, y: height - 120, width: 120, height: 120 });
      await screen.clickAt(x - 150, y);
    },
    async close(): Promise<void> {
      await extension.close();
      await display.close();
    },
  };
  /** Does something until it shows; the clicks of a person who has to try again count once. */
  async function once(
    act: () => Promise<void>,
    shows: () => Promise<boolean>,
    limit = CLICK_TIME,
  ): Promise<void> {
    const earlier = clicks;
    for (let first = true; ; first = false) {
      await act();
      if (!first) clicks = earlier + 1;
      for (const deadline = Date.now() + limit; Date.now() < deadline; await delay(50))
        if (await shows()) return;
    }
  }

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
    // While a page loads nothing can be asked of it.
    page
      .evaluate<[number, number] | null>(`(() => {
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
    })()`)
      .catch(() => null);
  let last: [number, number] | null = null;
  return await until(async () => {
    const before = last;
    last = await look();
    return last !== null && before?.join() === last.join() && last;
  });
}

/** Where the button is on the display that takes what the dialog for files has. */
async function placeOfOpen(display: Display, dialog: string): Promise<[number, number]> {
  const geometry = await display.act("getwindowgeometry", "--shell", dialog);
  const [x = 0, y = 0, width = 0, height = 0] = ["X", "Y", "WIDTH", "HEIGHT"].map((name) =>
    Number(new RegExp(`^${name}=(-?\\d+)$`, "m").exec(geometry)?.[1]),
  );
  return [x + width - 49, y + height - 24];
}

type Area = typeof TOOLBAR;

/** The points of the icon in a part of the display; none while too little of it is there. */
async function iconIn(display: Display, { x, y, width, height }: Area): Promise<[number, number][]> {
  const { colorAt } = await display.look();
  const found: [number, number][] = [];
  for (let row = y; row < y + height; row++)
    for (let column = x; column < x + width; column++)
      if (colorAt(column, row) === INDIGO) found.push([column, row]);
  return found.length > 50 ? found : [];
}

/** Where the icon is in a part of the display, once it is there and doesn't slide any more. */
async function placeOfIcon(display: Display, area: Area): Promise<[number, number]> {
  let last = "";
  const all = await until(async () => {
    const before = last;
    const points = await iconIn(display, area);
    last = points.join();
    await delay(200);
    return last !== "" && before === last && points;
  });
  const middle = (place: 0 | 1) => all.reduce((sum, each) => sum + each[place], 0) / all.length;
  return [middle(0), middle(1)];
}

/**
 * The middles of the buttons of the browser's question, from left to right; none while it isn't there.
 *
 * To the display the question is no window, but the one thing that is white where all else is dimmed: in the middle of
 * the browser, with its buttons near its lower edge.
 */
function findButtons({ colorAt }: Picture): [number, number][] {
  const WHITE = 0xffffff;
  const middle = WINDOW.width / 2;
  const column = Array.from({ length: WINDOW.height }, (_, y) => y);
  const bottom = column.findLast((y) => colorAt(middle, y) === WHITE) ?? 0;
  if (bottom < 100) return [];
  let [left, right] = [middle, middle];
  const row = bottom - 8;
  while (left > 0 && colorAt(left - 1, row) === WHITE) left--;
  while (right < WINDOW.width && colorAt(right + 1, row) === WHITE) right++;
  // A page has it over all its width.
  if (right - left < 200 || right - left > WINDOW.width / 2) return [];
  const buttons: [number, number][] = [];
  for (let x = left, from = left; x <= right; x++) {
    // Above their words, which may be white.
    if (colorAt(x, bottom - 50) !== WHITE) continue;
    if (x - from > 30) buttons.push([(from + x) / 2, bottom - 38]);
    from = x;
  }
  return buttons;
}
