/** A poll ends ten seconds before its test would, and so says what didn't come. */
import { beforeEach, vi } from "vitest";

beforeEach(({ task }) => {
  vi.setConfig({ expect: { poll: { timeout: task.timeout - 10_000 } } });
});
