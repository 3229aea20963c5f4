/** Folders for what a test stores. In a run that is searched for leaks they are kept until the search. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes a folder. Journals belong in one whose purpose is "journal": it is the one place for secrets.
 */
export async function scratchFolder(purpose: string): Promise<{ path: string; remove(): Promise<void> }> {
  const kept = process.env.UPCUT_SCRATCH;
  const path = await mkdtemp(join(kept ?? tmpdir(), `upcut-${purpose}-`));
  return {
    path,
    async remove() {
      if (kept === undefined) await rm(path, { recursive: true, force: true });
    },
  };
}
