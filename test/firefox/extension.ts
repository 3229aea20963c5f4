/** The extension in Firefox, used as a person does: by its pages, its button, its menus, and the browser's questions. */
import { expect } from "vitest";
import { PACKED } from "./build.ts";
import { startFirefox } from "./firefox.ts";

const ID = "upcut@upcut.example";
/** What Firefox makes of the id for names of its own elements. */
const ELEMENT_ID = "upcut_upcut_example";
/** By which WebDriver knows an element. */
const REFERENCE = "element-6066-11e4-a52e-4f735466cecf";

export type Extension = Awaited<ReturnType<typeof startExtension>>;

/** Starts the browser on a profile; the extension is installed unless it is there from before. */
export async function startExtension(profile: string, { isFirst = true } = {}) {
  const firefox = await startFirefox(profile, {
    // Half the usual time, so that its end can be waited for.
    "extensions.background.idle.timeout": 15_000,
    // In windows of the browser's own: a machine without a desktop shows no others.
    "alerts.useSystemBackend": false,
  });
  const { send, inPage, inBrowser } = firefox;
  if (isFirst) await send("Addon:Install", { path: PACKED, temporary: false });
  const origin = await inBrowser<string>(`return WebExtensionPolicy.getByID(given[0]).getURL("")`, ID);

  async function find(selector: string): Promise<string> {
    const { value } = await send<{ value: Record<string, string> }>("WebDriver:FindElement", {
      using: "css selector",
      value: selector,
    });
    return value[REFERENCE] ?? "";
  }

  async function showTab(ending: string): Promise<boolean> {
    for (const handle of await send<string[]>("WebDriver:GetWindowHandles")) {
      await send("WebDriver:SwitchToWindow", { handle });
      const { value } = await send<{ value: string }>("WebDriver:GetCurrentURL");
      if (value.endsWith(ending)) return true;
    }
    return false;
  }

  /**
   * The text of an element in the popup or the sidebar, which no WebDriver reaches; undefined where there is none. A
   * click there counts as a person's. Once the wheel is turned, how far the page is scrolled comes in its place.
   */
  const beside = (
    page: "popup.html" | "popup.html?panel",
    selector: string,
    act?: "click" | "wheel",
  ): Promise<string | undefined> => inBrowser(IN_EXTENSION_PAGE, `${origin}${page}`, selector, act);

  return {
    ...firefox,
    /** Opens an address, or one of the extension's own pages, in a tab that is used from then on. */
    async open(address: string): Promise<void> {
      const { handle } = await send<{ handle: string }>("WebDriver:NewWindow", { type: "tab" });
      await send("WebDriver:SwitchToWindow", { handle });
      await send("WebDriver:Navigate", { url: new URL(address, origin).href });
    },
    /** Uses the first tab with an address that ends so, once there is one. */
    use: (ending: string): Promise<void> => expect.poll(() => showTab(ending)).toBe(true),
    /** The text of an element of the tab that is used. */
    text: (selector: string): Promise<string> =>
      inPage(
        `return document.querySelector(given[0])?.textContent.replace(/\\s+/g, " ").trim() ?? ""`,
        selector,
      ),
    click: async (selector: string): Promise<void> =>
      void (await send("WebDriver:ElementClick", { id: await find(selector) })),
    /** Types into a field; into one for files their paths. */
    type: async (selector: string, text: string): Promise<void> =>
      void (await send("WebDriver:ElementSendKeys", { id: await find(selector), text })),
    /** Presses "Allow" in the browser's own question, once that is shown, and resolves with its words. */
    async allow(): Promise<string> {
      let words: string | undefined;
      await expect
        .poll(async () => {
          words = await inBrowser<string | undefined>(PRESS_ALLOW);
          return words;
        })
        .toBeDefined();
      return words ?? "";
    },
    /** Clicks a notification with this title, once it is shown. */
    clickNotification: (title: string): Promise<void> =>
      expect.poll(() => inBrowser<boolean>(CLICK_NOTIFICATION, title)).toBe(true),
    /** Opens the popup by the extension's button in the toolbar; one that is open from before closes first. */
    async pressButton(): Promise<void> {
      await inBrowser(PRESS_BUTTON, `${ELEMENT_ID}-BAP`);
      // Firefox closes it at times while its window changes: a person presses again.
      const isShown = async () => {
        if ((await beside("popup.html", "body")) !== undefined) return true;
        if (await inBrowser<boolean>(IS_CLOSED)) await inBrowser(PRESS_BUTTON, `${ELEMENT_ID}-BAP`);
        return false;
      };
      await expect.poll(isShown, { interval: 1000 }).toBe(true);
    },
    /** Chooses what the extension has in the menu of a right click on an element of the page. */
    async chooseFromMenu(selector: string): Promise<void> {
      const pointer = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" } };
      const element = { [REFERENCE]: await find(selector) };
      const actions = [
        { type: "pointerMove", x: 0, y: 0, origin: element },
        { type: "pointerDown", button: 2 },
        { type: "pointerUp", button: 2 },
      ];
      // Firefox drops a click at times while its window changes: a person sees no menu, and clicks again.
      const choose = async () => {
        const state = await inBrowser<string>(ACTIVATE_ITEM, ELEMENT_ID);
        if (state === "closed")
          await send("WebDriver:PerformActions", { actions: [{ ...pointer, actions }] });
        return state;
      };
      await expect.poll(choose, { interval: 1000 }).toBe("activated");
    },
    beside,
    /** Closes the tabs with pages of the extension. */
    async closePages(): Promise<void> {
      // The browser ends with its last tab.
      const { handle: last } = await send<{ handle: string }>("WebDriver:NewWindow", { type: "tab" });
      for (const handle of await send<string[]>("WebDriver:GetWindowHandles")) {
        await send("WebDriver:SwitchToWindow", { handle });
        const { value } = await send<{ value: string }>("WebDriver:GetCurrentURL");
        if (value.startsWith(origin)) await send("WebDriver:CloseWindow");
      }
      await send("WebDriver:SwitchToWindow", { handle: last });
    },
    backgroundRuns: (): Promise<boolean> =>
      inBrowser(`return WebExtensionPolicy.getByID(given[0]).extension.backgroundState === "running"`, ID),
  };
}

const PRESS_ALLOW = `
  const question = document.getElementById("addon-webext-permissions-notification");
  if (document.getElementById("notification-popup")?.state !== "open" || !question?.button) return undefined;
  const words = question.textContent;
  question.button.click();
  return words;`;

const CLICK_NOTIFICATION = `
  for (const { document } of Services.wm.getEnumerator("alert:alert")) {
    if (document.getElementById("alertTitleLabel")?.getAttribute("value") !== given[0]) continue;
    document.getElementById("alertBox").click();
    return true;
  }
  return false;`;

const PRESS_BUTTON = `
  const popup = document.getElementById("customizationui-widget-panel");
  if (popup?.state === "open") {
    const closed = new Promise((resolve) => popup.addEventListener("popuphidden", resolve, { once: true }));
    popup.hidePopup();
    await closed;
  }
  document.getElementById(given[0]).click();`;

const IS_CLOSED = `
  const popup = document.getElementById("customizationui-widget-panel");
  return !popup || popup.state === "closed";`;

const ACTIVATE_ITEM = `
  const menu = document.getElementById("contentAreaContextMenu");
  const item = menu.querySelector('menuitem[id^="' + given[0] + '"]:not([hidden])');
  if (menu.state !== "open" || !item) return menu.state;
  menu.activateItem(item);
  return "activated";`;

/** By a script of the browser's own in the process of the page. */
const IN_EXTENSION_PAGE = `
  const [address, selector, act] = given;
  const sidebar = document.getElementById("sidebar")?.contentDocument;
  const all = [...document.querySelectorAll("browser"), ...(sidebar?.querySelectorAll("browser") ?? [])];
  const browser = all.find((each) => each.currentURI?.spec === address);
  if (!browser?.messageManager) return undefined;
  const name = "upcut-test-" + Math.random();
  const script = (selector, act, name) => {
    const element = content.document.querySelector(selector);
    if (element && act === "click") {
      content.document.notifyUserGestureActivation();
      const ended = content.windowUtils.setHandlingUserInput(true);
      try { element.click(); } finally { ended.destruct(); }
    }
    if (element && act === "wheel") {
      content.document.body.style.minHeight = "200vh";
      const { left, top } = element.getBoundingClientRect();
      content.windowUtils.sendWheelEvent(left + 5, top + 5, 0, 3, 0, content.WheelEvent.DOM_DELTA_LINE, 0, 0, 3, 0);
      return void content.setTimeout(() => sendAsyncMessage(name, String(content.scrollY)), 500);
    }
    sendAsyncMessage(name, element?.textContent.replace(/\\s+/g, " ").trim());
  };
  return await new Promise((resolve) => {
    setTimeout(resolve, 5000);
    browser.messageManager.addMessageListener(name, ({ data }) => resolve(data));
    const call = "(" + script + ")(" + [selector, act ?? null, name].map((each) => JSON.stringify(each)) + ")";
    browser.messageManager.loadFrameScript("data:text/javascript," + encodeURIComponent(call), false);
  });`;
