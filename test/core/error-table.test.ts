import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ERROR_NAMES, isCodeOf } from "../../core/error-record.ts";

const ABOUT = `# All codes of errors

Everything that the module throws is an \`UpcutError\`, except an abort, which passes through as the signal's own reason. Tell
it by \`isUpcutError(error)\`, and choose what to do by its \`code\`:

| Field | What it says |
|---|---|
| \`name\` | \`InputError\`: nothing was sent. \`ServiceError\`: the service answered, and not with a success. \`ConnectionError\`: no answer came to a call that makes or ends something. \`UploadError\`: an upload stopped |
| \`code\` | one of the words below, which stay the same between versions |
| \`message\` | a sentence for a person, without tokens and upload addresses |
| \`retryable\` | whether the same call can succeed later |
| \`httpStatus\`, \`retryAfter\`, \`details\` | of the answer, if there was one: its status, milliseconds to wait, and what the service said, in its own sentences |
| \`resume\` | \`{ assetId, offset, possible }\`, if an asset was made: the bytes that the service has, and whether another \`upload()\` resumes it |

\`toJSON()\` gives the same as a plain object, and \`errorFromRecord()\` makes an error of that in another context.
`;

const END = `
The table is that of \`core/error-record.ts\`, and \`test/core/error-table.test.ts\` writes this page. [What is said about each
wrong input](bad-inputs.md).
`;

test("the page of all codes says what the module says", async () => {
  const source = await readFile(new URL("../../core/error-record.ts", import.meta.url), "utf8");
  const table = [...source.matchAll(/^ \* (\|.+\|)$/gm)].map(([, row = ""]) => row);
  const rows = table.slice(2).map((row) => /^\| `([a-z-]+)` \| (\w+) \|/.exec(row)?.slice(1) ?? [row]);
  expect(rows.length).toBeGreaterThan(30);
  for (const [code = "", name = ""] of rows)
    expect([code, ERROR_NAMES.filter((each) => isCodeOf(each, code))]).toEqual([code, [name]]);
  // The compiler compares them with the table that the module looks into.
  const declared = [...source.matchAll(/^ {4}\| "([a-z-]+)"/gm)].map(([, code]) => code);
  const inOneLine = /ConnectionError: ("[a-z-]+"(?: \| "[a-z-]+")*);/.exec(source)?.[1] ?? "";
  const all = [...declared, ...inOneLine.split(" | ").map((each) => each.slice(1, -1))];
  expect(rows.map(([code]) => code).sort()).toEqual(all.sort());
  // Inside Bun and Deno the same page would be written once more.
  if ("Bun" in globalThis || "Deno" in globalThis) return;
  const page = [ABOUT, table.join("\n"), END].join("\n");
  await expect(page).toMatchFileSnapshot("../../docs/errors.md");
});
