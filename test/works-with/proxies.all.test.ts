/**
 * Real proxies before the upload host, which hold bodies or pass them on, and take few or many bytes in each: what is
 * stored, or told, by the module in Node and in a page, and by the command line.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../../core/file.ts";
import { createClient, upload } from "../../core/mod.ts";
import { launchChromium } from "../browser/launch.ts";
import { bundle } from "../runtimes/bundle.ts";
import { serveSite } from "../runtimes/page/site.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { caught, note } from "../support/caught.ts";
import { MiB, writeContent } from "../support/content.ts";
import { freePort } from "../support/hosts/free-port.ts";
import { runCli } from "../support/programs/cli-process.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { expectFindings, type Finding } from "./findings.ts";
import { findLighttpd, findNginx, type ProxyProgram } from "./proxy-programs.ts";

const PART = 8;
/** MiB that a proxy takes of a body; 0 is any number. */
const LIMITS = [0, 50, 8, 1];
const SIZES = [MiB, PART * MiB + 1, 98 * MiB];
/** Of an error that a person reads. */
const WORDS =
  "takes no request of 8 MiB, the least that can be sent. Ask whoever runs it to allow more, such as by client_max_body_size 8m in nginx";
/** A page isn't shown a refusal that lacks the headers of CORS. */
const HIDDEN_WORDS = "or a proxy that takes bodies of 8 MiB";

const QUICK = { retry: { attempts: 3, minDelay: 10 }, timeout: { settle: 100 } };

const folder = useFolder("video");
const journals = useFolder("journal");
const browser = useOpened(() => launchChromium({ pagesOnly: true, args: ["--ignore-certificate-errors"] }));
const site = useOpened(async () =>
  serveSite({ "page.js": await bundle("../runtimes/page/page.ts"), "worker.js": "" }),
);
const hashes = new Map<number, string>();

interface Outcome {
  assetId?: string | undefined;
  error?: string | undefined;
}

type Client = (service: SpawnedService, path: string) => Promise<Outcome>;

const byNode: Client = async ({ baseUrl, token }, path) => {
  const sent = upload(createClient({ baseUrl, token }), await openFile(path), QUICK);
  return await sent.then(
    ({ asset }) => ({ assetId: asset.id }),
    async () => ({ error: (await caught(sent)).message }),
  );
};

const byCommand: Client = async ({ baseUrl, token }, path) => {
  const environment = {
    UPCUT_URL: baseUrl,
    UPCUT_TOKEN: token,
    UPCUT_JOURNAL: join(journals.path, crypto.randomUUID()),
  };
  const { code, stdout, stderr } = await runCli(["upload", path], environment);
  const assetId = /asset (\S+) /.exec(stdout)?.[1];
  // A script goes by the code.
  return code === 0 ? { assetId } : { error: code === 1 ? stderr : `exit code ${code}` };
};

const byPage: Client = async ({ baseUrl, token }, path) => {
  const page = await browser.context.newPage();
  page.on("console", (message) => {
    // In the console of a page the browser itself names what it keeps from that page.
    if (!/CORS policy/.test(message.text())) note(message.text());
  });
  await page.goto(site.url);
  await page.locator("input").setInputFiles(path);
  const { result, error } = await page.evaluate((what) => window.uploadFrom("page", what), {
    baseUrl,
    token,
    options: QUICK,
  });
  await page.close();
  return { assetId: result?.asset.id, error: error?.message };
};

const CLIENTS = { node: byNode, command: byCommand, page: byPage };

interface Lab {
  program: ProxyProgram;
  isSecure: boolean;
  most: number;
  buffers: boolean;
  clients: (keyof typeof CLIENTS)[];
}

/** @returns what is not as it should be */
async function tryAll({ program, isSecure, most, buffers, clients }: Lab): Promise<string[]> {
  const port = await freePort();
  const origin = `http${isSecure ? "s" : ""}://127.0.0.1:${port}`;
  const service = await spawnService({}, { advertise: origin });
  const proxy = await program.start({ port, target: service.uploadUrl, isSecure, most, buffers });
  const problems: string[] = [];
  for (const name of clients) {
    for (const size of SIZES) {
      const path = join(folder.path, `${size}.mp4`);
      if (!hashes.has(size)) hashes.set(size, await writeContent(path, size));
      const problem = await problemOf(service, await CLIENTS[name](service, path), size, most, name);
      const way = `${most} MiB, ${buffers ? "held" : "passed on"}, ${name}`;
      console.log(`${program.name}, ${origin}, ${way}, ${size} bytes: ${problem ?? "as it should be"}`);
      if (problem !== undefined) problems.push(`${way}, ${size} bytes: ${problem}`);
    }
  }
  await proxy.stop();
  await service.stop();
  return problems;
}

async function problemOf(
  service: SpawnedService,
  { assetId, error }: Outcome,
  size: number,
  most: number,
  client: keyof typeof CLIENTS,
): Promise<string | undefined> {
  const words = client === "page" ? HIDDEN_WORDS : WORDS;
  if (!fits(size, most)) return error?.includes(words) === true ? undefined : `not told: ${error}`;
  if (assetId === undefined) return `not whole: ${error}`;
  const stored = await service.whole(assetId, 60_000).catch(() => undefined);
  return stored?.sha256 === hashes.get(size) ? undefined : "WRONG: another content is stored";
}

/** True if each request that a video takes is within a limit. */
function fits(size: number, most: number): boolean {
  return most === 0 || Math.min(size, PART * MiB) <= most * MiB;
}

test("through real proxies with a limit each video is stored whole, or the limit is told", async () => {
  const [nginx, lighttpd] = [await findNginx(), await findLighttpd()];
  const programs: [string, Omit<Lab, "most" | "buffers">][] = [
    [`${nginx.name}, HTTP/1.1`, { program: nginx, isSecure: false, clients: ["node", "command", "page"] }],
    [`${nginx.name}, HTTP/2`, { program: nginx, isSecure: true, clients: ["page"] }],
    [
      `${lighttpd.name}, HTTP/1.1`,
      { program: lighttpd, isSecure: false, clients: ["node", "command", "page"] },
    ],
  ];
  const findings: Finding[] = [];
  const problems: string[] = [];
  for (const [name, lab] of programs)
    for (const most of LIMITS) {
      for (const buffers of [true, false]) {
        const found = await tryAll({ ...lab, most, buffers });
        problems.push(...found.map((problem) => `${name}, ${problem}`));
      }
      const whole = SIZES.filter((size) => fits(size, most)).length;
      const setting = most === 0 ? "no limit" : `bodies of at most ${most} MiB`;
      const each = lab.clients.length * 2;
      findings.push({
        name:
          whole === SIZES.length ? `${name}, ${setting}` : `${name}, ${setting}, videos up to ${most} MiB`,
        tried: whole * each,
        verdict: "right",
        ...(most > 0 &&
          whole === SIZES.length && { because: "less is sent at a time after the first refusal" }),
      });
      if (whole < SIZES.length)
        findings.push({
          name: `${name}, ${setting}, larger videos`,
          tried: (SIZES.length - whole) * each,
          verdict: "told",
          because: "8 MiB is the least that can be sent: allow it, such as by client_max_body_size 8m",
        });
    }
  findings.push(await tryDecoding());
  expect(problems).toEqual([]);
  await expectFindings("proxies", findings);
}, 1_800_000);

/** A proxy that decodes addresses, as this one does by itself. */
async function tryDecoding(): Promise<Finding> {
  const program = await findLighttpd(true);
  const port = await freePort();
  const service = await spawnService({}, { advertise: `http://127.0.0.1:${port}` });
  const proxy = await program.start({
    port,
    target: service.uploadUrl,
    isSecure: false,
    most: 0,
    buffers: true,
  });
  const { error } = await byNode(service, join(folder.path, `${PART * MiB + 1}.mp4`));
  await proxy.stop();
  await service.stop();
  expect(error).toContain("check whether a proxy changes addresses");
  const because = "it decodes %2F in addresses: set url-path-2f-decode to disable";
  return { name: `${program.name}, as it is without settings`, tried: 1, verdict: "told", because };
}
