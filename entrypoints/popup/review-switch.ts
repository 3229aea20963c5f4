/** The setting that keeps new uploads until they are started, within reach of who is about to choose some. */
import { element } from "../shared/elements.ts";
import { readSettings, saveSettings } from "../shared/settings.ts";

/** @returns shows the setting as it is stored */
export function makeReviewSwitch(): (reviewFirst: boolean) => void {
  const box = element("review-first", HTMLInputElement);
  box.addEventListener("change", async () => {
    await saveSettings({ ...(await readSettings()), reviewFirst: box.checked });
  });
  return (reviewFirst) => {
    box.checked = reviewFirst;
  };
}
