/** Questions on a terminal. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { edited, type Line } from "../../../core/cli/prompt.ts";
import { useService } from "../../service/use-service.ts";
import { startOnTerminal } from "../../support/programs/cli-process.ts";
import { useFolder } from "../../support/use-folder.ts";

describe("a line", () => {
  const typed = (...keys: string[]): Line => keys.reduce<Line>(edited, { before: "", after: "" });
  const [left, right, home, end] = ["\x1b[D", "\x1b[C", "\x1b[H", "\x1b[F"] as const;

  test.each([
    [["a", "b", left, "c"], "ac|b"],
    [["a", "b", "\x1bOD", "\x1bOD", "\x1bOD", "c"], "c|ab"],
    [["a", "b", home, right, "c", end, "d"], "acbd|"],
    [["a", "b", "\x01", "\x06", "\x04"], "a|"],
    [["a", "b", "c", left, "\x15"], "|c"],
    [["a", "b", "c", left, "\x0b"], "ab|"],
    [["a", " ", "b", "c", " ", "\x17"], "a |"],
    [["a", "é", "日", "\x7f", "\x7f"], "a|"],
    // Of several code points each.
    [["a", "👩", "\u200d", "💻", "\x7f"], "a|"],
    [["a", "e", "\u0301", left, left, "\x1b[3~"], "|e\u0301"],
    [["\x7f", left, right, "\x17"], "|"],
    [["a", "\x1b[200~", "b", "\x1b[201~", "\x1b[A", "\x1b", "\t", "\x1a", "\x1b[5~"], "ab|"],
  ])("is edited by %j to %s", (keys, expected) => {
    const { before, after } = typed(...keys);
    expect(`${before}|${after}`).toBe(expected);
  });
});

const service = useService();
const folder = useFolder("prompt");
/** What `login` stores holds the token. */
const places = useFolder("journal");
let config = "";
beforeEach(() => {
  config = join(places.path, crypto.randomUUID());
});

/** The standard output and error as files, so that the terminal has what was asked alone. */
const files = () => `> ${join(folder.path, "out")} 2> ${join(folder.path, "err")}`;
const stored = async () => JSON.parse(await readFile(join(config, "upcut", "account.json"), "utf8"));
const start = (words: string[], redirections = "", more: Record<string, string> = {}) =>
  startOnTerminal(words, { XDG_CONFIG_HOME: config, ...more }, redirections);
const ADDRESS = "Address of the service";
const TOKEN = "Token of the account";

describe.each(["", "2> /dev/null", "> /dev/null", "both"])("upcut login with its outputs %j", (outputs) => {
  test("asks on the terminal, and never shows the token", async () => {
    const run = start(["login"], outputs === "both" ? files() : outputs);
    await expect.poll(run.printed).toContain(ADDRESS);
    run.type(`htp://wrong\x15${service.baseUrl}x\x7f\r`);
    await expect.poll(run.printed).toContain(TOKEN);
    run.type(`nonsense\x15\x1b[200~${service.token.slice(1)}\x1b[201~\x1b[H${service.token[0]}\r`);
    expect((await run.ended()).code).toBe(0);
    expect(await stored()).toEqual({ url: service.baseUrl, token: service.token });
    expect(run.printed()).toContain(service.baseUrl);
    expect(run.printed()).not.toContain(service.token.slice(1, 9));
    expect(run.printed()).not.toContain("nonsense");
  });
});

describe("upcut login", () => {
  test("asks again after a wrong address, and after a wrong token", async () => {
    const run = start(["login"]);
    const times = (text: string) => () => run.printed().split(text).length - 1;
    await expect.poll(times(ADDRESS)).toBe(1);
    run.type("video.example\r");
    await expect.poll(times(ADDRESS)).toBe(2);
    expect(run.printed()).toContain("UPCUT_URL, or --url) is wrong");
    run.type("http://127.0.0.1:9\r");
    await expect.poll(times(TOKEN)).toBe(1);
    run.type("secret-wrong\r");
    await expect.poll(times(ADDRESS)).toBe(3);
    // The token that was typed stays.
    run.type(`${service.baseUrl}\r`);
    await expect.poll(times(TOKEN)).toBe(2);
    run.type(`${service.token}\r`);
    expect((await run.ended()).code).toBe(0);
    expect(await stored()).toEqual({ url: service.baseUrl, token: service.token });
    expect(run.printed()).not.toContain("secret-wrong");
  });

  test("shows nothing of a token that is pasted with the address", async () => {
    const run = start(["login"]);
    await expect.poll(run.printed).toContain(ADDRESS);
    run.type(`${service.baseUrl}\r${service.token}\r`);
    expect((await run.ended()).code).toBe(0);
    expect(run.printed()).not.toContain(service.token.slice(0, 8));
  });

  test("with the token on its standard input asks for the address alone", async () => {
    await writeFile(`${config}-token`, `${service.token}\n`);
    const run = start(["login"], `< ${config}-token`);
    await expect.poll(run.printed).toContain(ADDRESS);
    run.type(`${service.baseUrl}\r`);
    expect((await run.ended()).code).toBe(0);
    expect(run.printed()).not.toContain(TOKEN);
  });

  test.each(["\x03", "\x04"])("ends by %j", async (key) => {
    const run = start(["login"], "2> /dev/null");
    await expect.poll(run.printed).toContain(ADDRESS);
    run.type(key);
    expect([130, null]).toContain((await run.ended()).code);
  });
});

test("a command whose input and error lead elsewhere asks for the token on the terminal", async () => {
  const settings = { UPCUT_URL: service.baseUrl, UPCUT_JOURNAL: `${config}-journal`, TERM: "dumb" };
  const run = start(["terminate", "nobody"], "< /dev/null 2> /dev/null", settings);
  await expect.poll(run.printed).toContain(TOKEN);
  run.type(`${service.token}x\x7f\r`);
  expect((await run.ended()).code).toBe(1);
  expect((await service.requests("DELETE")).at(-1)).toMatchObject({ status: 404 });
  expect(run.printed()).not.toContain("\x1b");
});
