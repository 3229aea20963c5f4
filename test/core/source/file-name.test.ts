import { describe, expect, test } from "vitest";
import { upload } from "../../../core/mod.ts";
import { shortFileName } from "../../../core/source/file-name.ts";
import { nameOf } from "../../../core/source/url.ts";
import { useService } from "../../service/use-service.ts";
import { content, contentHash } from "../../support/content.ts";

describe("shortFileName()", () => {
  const bytes = (text: string) => new TextEncoder().encode(text).length;

  test.each(["video.mp4", "a".repeat(1000), `${"é".repeat(498)}.mp4`])(
    "leaves what fits as it is",
    (name) => {
      expect(shortFileName(name)).toBe(name);
    },
  );

  test.each([
    ["plain letters", `${"a".repeat(20_000)}.mp4`, ".mp4"],
    ["characters of four bytes", `${"🎬".repeat(5_000)}.webm`, ".webm"],
    ["no ending", "a".repeat(20_000), "…"],
    ["an ending that is none", `video.${"x".repeat(20_000)}`, "…"],
  ])("shortens %s in the middle", (_, name, end) => {
    const short = shortFileName(name);
    expect(bytes(short)).toBeLessThanOrEqual(1000);
    expect(bytes(short)).toBeGreaterThan(990);
    expect(short.endsWith(end)).toBe(true);
    expect(short.isWellFormed()).toBe(true);
  });

  test("replaces half a character", () => {
    expect(shortFileName("video \ud83c.mp4")).toBe("video \ufffd.mp4");
  });
});

describe("nameOf()", () => {
  const url = new URL("https://a.example/folder/video.mp4");

  test.each([
    ["escaped quotes", 'filename="The \\"Big\\" One.mp4"', 'The "Big" One.mp4'],
    ["a path of Windows", 'filename="C:\\videos\\launch.mp4"', "launch.mp4"],
    ["such a path, escaped", 'filename="C:\\\\videos\\\\launch.mp4"', "launch.mp4"],
    ["a folder", 'filename="videos/"', "video.mp4"],
    ["a folder beside a name", "filename*=UTF-8''videos%2F; filename=launch.mp4", "launch.mp4"],
    ["no end", `filename="${"\\".repeat(8_000)}`, "video.mp4"],
  ])("reads a header with %s", (_, header, name) => {
    expect(nameOf(url, `attachment; ${header}`)).toBe(name);
  });

  test("has no name where neither the header nor the address has one", () => {
    expect(nameOf(new URL("https://a.example/"), 'inline; filename="/"')).toBeUndefined();
  });
});

describe("upload()", () => {
  const service = useService();

  test.each(["resumable", "direct"] as const)(
    "brings a file with an endless name, by the %s method",
    async (method) => {
      const size = 2 * 1024 * 1024;
      const file = new File([content(size)], `${"name ".repeat(8_000)}.mp4`, {
        type: `video/${"x".repeat(40_000)}`,
      });
      const account = service.client();
      const { asset } = await upload(account, file, { name: "Video", method });
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
    },
  );
});
