/** Set up before every test file: fails unless the tests run inside the very runtime and version they claim to. */

interface Runtimes {
  Bun?: { version: string };
  Deno?: { version: { deno: string } };
}

const { Bun, Deno } = globalThis as Runtimes;
const found = Bun
  ? `bun ${Bun.version}`
  : Deno
    ? `deno ${Deno.version.deno}`
    : `node ${process.versions.node}`;
const expected = process.env.EXPECT_RUNTIME;
if (found !== expected) throw new Error(`the tests run inside ${found}, expected ${expected}`);
