/** Before each test file: those of the extension's own modules get its messages, in English. */
import { expect } from "vitest";

if (/[\\/]test[\\/]entrypoints[\\/]/.test(expect.getState().testPath ?? "")) {
  const { speak } = await import("./catalogue.ts");
  await speak("en");
}
