/** The flags that each ability of the module needs, and each command, where a runtime refuses all else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findRuntime } from "./find-runtime.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Words that stand in the table for what a test has in their places. */
const PLACE =
  /\b(?:ADDRESS|ASSET|CONFIG|HOSTS|JOURNAL|PLAYLIST|PROGRAM|TOKEN-FILE|FILE|TOKEN|VIDEO-HOST|VIDEO)\b/g;
export type Places = Record<
  | "ADDRESS"
  | "ASSET"
  | "CONFIG"
  | "FILE"
  | "HOSTS"
  | "JOURNAL"
  | "PLAYLIST"
  | "PROGRAM"
  | "TOKEN"
  | "TOKEN-FILE"
  | "VIDEO"
  | "VIDEO-HOST",
  string
>;

export interface Ability {
  name: string;
  flags: readonly string[];
  /** The command line's words, in which places stand too. */
  words?: string[];
  /** The environment, in which places stand too. */
  environment?: Record<string, string>;
}

const NET = "--allow-net=HOSTS";
const READ_FILE = "--allow-read=FILE";
const ACCOUNT = ["--url", "ADDRESS", "--token-file", "TOKEN-FILE"];
const READ_TOKEN = "--allow-read=TOKEN-FILE";
const STORED = { XDG_CONFIG_HOME: "CONFIG" };
const READ_CONFIG = ["--allow-env=XDG_CONFIG_HOME", "--allow-read=CONFIG"];
const command = (name: string, flags: string[], words: string[], environment = {}): Ability => ({
  name: `upcut ${name}`,
  flags,
  words: [name, ...words],
  environment,
});

export const DENO_ABILITIES: readonly Ability[] = [
  { name: "calls of a client", flags: [NET] },
  { name: "upload() of bytes", flags: [NET] },
  { name: "openFile()", flags: [NET, READ_FILE] },
  {
    name: "openFile() and fileJournal()",
    flags: [NET, "--allow-read=FILE,JOURNAL", "--allow-write=JOURNAL"],
  },
  { name: "openFile() and verify", flags: [NET, READ_FILE] },
  { name: "openUrl()", flags: ["--allow-net=HOSTS,VIDEO-HOST"] },
  { name: "openHls()", flags: ["--allow-net=HOSTS,VIDEO-HOST"] },
  command(
    "upload",
    [NET, "--allow-read=FILE,JOURNAL,TOKEN-FILE", "--allow-write=JOURNAL"],
    ["--new", ...ACCOUNT, "--journal", "JOURNAL", "FILE"],
  ),
  command("list", ["--allow-read=JOURNAL"], ["--journal", "JOURNAL"]),
  command(
    "discard",
    [NET, "--allow-read=FILE,JOURNAL,TOKEN-FILE", "--allow-write=JOURNAL"],
    [...ACCOUNT, "--journal", "JOURNAL", "FILE"],
  ),
  command("status", [NET, READ_TOKEN, "--allow-env=UPCUT_ASSET_PATH"], [...ACCOUNT, "ASSET"], {
    UPCUT_ASSET_PATH: "/api/asset/{id}",
  }),
  command("terminate", [NET, READ_TOKEN], [...ACCOUNT, "launch-stream"]),
  command(
    "login",
    [NET, "--allow-env=XDG_CONFIG_HOME", "--allow-read=TOKEN-FILE,CONFIG", "--allow-write=CONFIG"],
    ACCOUNT,
    STORED,
  ),
  command("whoami", [NET, ...READ_CONFIG], [], STORED),
  command("logout", [...READ_CONFIG, "--allow-write=CONFIG"], [], STORED),
  command("help", [], []),
  command("completion", [], ["bash"]),
];

const NODE_FLAGS = [
  "--allow-fs-read=PROGRAM",
  "--allow-fs-read=FILE",
  "--allow-fs-read=JOURNAL",
  "--allow-fs-write=JOURNAL",
];

/** Node asks nothing of the network; it refuses files, its own program among them. */
export const NODE_ABILITIES: readonly Ability[] = [
  { name: "upload() of bytes", flags: ["--allow-fs-read=PROGRAM"] },
  { name: "openFile() and fileJournal()", flags: NODE_FLAGS },
  command(
    "upload",
    [...NODE_FLAGS, "--allow-fs-read=TOKEN-FILE"],
    ["--new", ...ACCOUNT, "--journal", "JOURNAL", "FILE"],
  ),
];

function filled(text: string, places: Places): string {
  return text.replace(PLACE, (place) => places[place as keyof Places]);
}

/** A runtime that refuses what no flag allows, and where it finds the two programs. */
export interface Runner {
  command: readonly string[];
  ability: string;
  cli: string;
}

/** There is nobody to ask for more. */
export function denoRunner(): Runner {
  return {
    command: [findRuntime("deno"), "run", "--no-prompt", "--quiet", "--node-modules-dir=manual"],
    ability: "test/runtimes/ability.ts",
    cli: "core/cli/main.ts",
  };
}

/** Uses an ability with these flags, and no other. */
export async function useAbility(
  { command: [program = "", ...usual], ability, cli }: Runner,
  { name, words, environment = {} }: Ability,
  flags: readonly string[],
  places: Places,
): Promise<{ code: number | null; output: string }> {
  const what =
    words === undefined
      ? [ability, name, JSON.stringify(places)]
      : [cli, ...words.map((word) => filled(word, places))];
  const own = Object.entries(environment).map(([key, value]) => [key, filled(value, places)]);
  const child = spawn(program, [...usual, ...flags.map((flag) => filled(flag, places)), ...what], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DENO_NO_UPDATE_CHECK: "1", ...Object.fromEntries(own) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}
