import { expect, test } from "vitest";
import { createSettingsCopy } from "../../../entrypoints/offscreen/settings-copy.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";

const settings = { ...DEFAULT_SETTINGS, address: "https://video.example" };

test("requests the settings once, and then has what was last sent", async () => {
  let requests = 0;
  const copy = createSettingsCopy(async () => {
    requests++;
    return settings;
  });
  expect(await Promise.all([copy.read(), copy.read()])).toEqual([settings, settings]);
  copy.replace({ ...settings, uploadsAtATime: 5 });
  expect((await copy.read()).uploadsAtATime).toBe(5);
  expect(requests).toBe(1);
});

test("falls back to the safe side of the defaults while the background fails, and requests again the next time", async () => {
  let requests = 0;
  const copy = createSettingsCopy(async () => {
    if (++requests === 1) throw new Error("the background failed");
    return settings;
  });
  expect(await copy.read()).toEqual({ ...DEFAULT_SETTINGS, uploadAuthorization: true, reviewFirst: true });
  expect(await copy.read()).toEqual(settings);
});

test("prefers settings that were sent while the request was on its way", async () => {
  let respond = () => {};
  const copy = createSettingsCopy(
    () =>
      new Promise((resolve) => {
        respond = () => resolve(settings);
      }),
  );
  const reading = copy.read();
  copy.replace({ ...settings, uploadsAtATime: 5 });
  respond();
  expect((await reading).uploadsAtATime).toBe(5);
});
