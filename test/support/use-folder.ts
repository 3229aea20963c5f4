/** A folder for what the tests of a file store. */
import { afterAll, beforeAll } from "vitest";
import { scratchFolder } from "./scratch.ts";

/** Makes a folder before the first test and removes it after the last one; its path is there once the first begins. */
export function useFolder(purpose: string): { path: string } {
  const folder = { path: "" };
  let remove = async () => {};
  beforeAll(async () => {
    ({ path: folder.path, remove } = await scratchFolder(purpose));
  });
  afterAll(() => remove());
  return folder;
}
