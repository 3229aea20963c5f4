import { describe, expect, test } from "vitest";
import { readAll } from "../../../entrypoints/page-videos/manifests.ts";
import type { Manifest } from "../../../entrypoints/page-videos/read-manifest.ts";

const at = (path: string) => `https://cdn.example/${path}`;
const addresses = Array.from({ length: 490 }, (_, index) => at(`${index}/main.m3u8`));

/** A manifest that names a thousand renditions. */
function manifestAt(address: string): Manifest {
  const playlists = Array.from({ length: 1000 }, (_, index) => new URL(`${index}.m3u8`, address).href);
  return { qualities: [], languages: [], subtitles: 0, refused: false, open: true, duration: 60, playlists };
}

describe("manifests of a hostile page", () => {
  test("are read a few, and count as read all", async () => {
    const asked: string[] = [];
    const read = async (address: string) => {
      asked.push(address);
      return manifestAt(address);
    };
    const found = await readAll(addresses, { read });
    expect(asked).toEqual(addresses.slice(0, 12));
    expect(found).toMatchObject({ isLate: false, read: { size: addresses.length } });
    const known = [...found.read.values()].filter((each) => each !== undefined);
    expect(known.map(({ playlists }) => playlists.length)).toEqual(Array(12).fill(100));
  });

  test("are gone through once each, however many addresses there are", async () => {
    let looks = 0;
    /** A list, and those that are cut from it, of which each look at an entry is counted. */
    const counted = (list: readonly string[]): readonly string[] =>
      new Proxy(list, {
        get(target, name, receiver) {
          if (name === "slice") return (...cut: number[]) => counted(target.slice(...cut));
          looks++;
          return Reflect.get(target, name, receiver);
        },
      });
    const read = async (address: string) => {
      const manifest = manifestAt(address);
      return { ...manifest, playlists: counted(manifest.playlists) };
    };
    await readAll(addresses, { read });
    // A look at each playlist that counts, and a few for taking them.
    expect(looks).toBeLessThan(12 * 100 * 3);
  });

  test("let the page run between them, though each is there at once", async () => {
    let [pending, overtaken] = [0, 0];
    const read = async (address: string) => {
      overtaken += pending;
      pending++;
      setTimeout(() => pending--);
      return manifestAt(address);
    };
    await readAll(addresses, { read });
    expect(overtaken).toBe(0);
  });

  test("are not read where another names them", async () => {
    const asked: string[] = [];
    const read = async (address: string) => {
      asked.push(address);
      return manifestAt(address);
    };
    const part = at("0/17.m3u8?token=1");
    const found = await readAll([at("0/main.m3u8"), part, at("1/main.m3u8")], { read });
    expect(asked).toEqual([at("0/main.m3u8"), at("1/main.m3u8")]);
    expect(found.read.get("cdn.example/0/17.m3u8?token=1")).toBeUndefined();
    expect(found.read.size).toBe(3);
  });
});
