/** The popup for the tests of one file: built once, and open one at a time, until the end of the test. */
import { afterAll, afterEach, beforeAll } from "vitest";
import { openHouse, type Popup, type PopupHouse, type PopupOptions } from "./page.ts";

export function usePopup(): Popup & { open(options?: PopupOptions): Promise<void> } {
  let house: PopupHouse | undefined;
  const popup = {
    async open(options) {
      await popup.close();
      Object.assign(popup, await house?.open(options));
    },
    close: async () => {},
  } as ReturnType<typeof usePopup>;

  beforeAll(async () => {
    house = await openHouse();
  });
  afterEach(() => popup.close());
  afterAll(() => house?.close());
  return popup;
}
