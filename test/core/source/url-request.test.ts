import { expect, test } from "vitest";
import { requestUrl } from "../../../core/source/url-request.ts";
import { caught } from "../../support/caught.ts";
import { rawAnswer, startRawServer } from "../../support/hosts/raw-server.ts";

test.each([
  [403, false],
  [408, true],
  [429, true],
  [499, false],
  [500, true],
])("a server that answers %d may be asked again: %s", async (status, retryable) => {
  const server = await startRawServer((_, socket) => {
    socket.write(rawAnswer(status, { "content-length": 0, "retry-after": 3 }));
  });
  const error = await caught(requestUrl(new URL(`${server.origin}/video.mp4`), { fetch: globalThis.fetch }));
  expect(error).toMatchObject({ name: "UploadError", httpStatus: status, retryable });
  expect(error.message).toContain(`${server.origin} answered ${status}`);
  if (retryable) expect(error.retryAfter).toBe(3000);
});
