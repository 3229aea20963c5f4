/** A poll ends ten seconds before its test would, and so says what didn't come. */
import { beforeEach, vi } from "vitest";

const SPARE = 10_000;
/** The longest that a timer takes, for a test without a limit. */
const LONGEST = 2 ** 31 - 1;
/** The clock as it is before a test sets it. */
const now = performance.now.bind(performance);

beforeEach(({ task }) => {
  const limit = Math.min(task.timeout || LONGEST, LONGEST);
  const end = now() + Math.max(limit - SPARE, limit / 2);
  const poll = {
    // Read at each poll, which has what is left by then.
    get timeout() {
      return Math.max(1, end - now());
    },
  };
  vi.setConfig({ expect: { poll } });
});
