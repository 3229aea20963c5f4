/** What journals are kept in: a disk with a folder, and a Redis. Both fail, and forget what was not written down. */
import { dirname } from "node:path";
import type { Process } from "./process.ts";
import type { Random, World } from "./world.ts";

interface Inode {
  isFolder: boolean;
  data: string;
  /** What a power cut leaves of it; nothing is certain before the first sync. */
  synced: string | undefined;
  mtimeMs: number;
  mode: number;
}

/** The state in which a store is. */
export type Trouble = "none" | "full" | "read-only" | "slow" | "failing";

const codes = { full: "ENOSPC", "read-only": "EROFS", failing: "EIO" };

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export class Disk {
  trouble: Trouble = "none";
  readonly #random: Random;
  /** The clock of the disk's own machine. */
  readonly #now: () => number;
  #names = new Map<string, Inode>();
  /** The names that a power cut leaves, by their folder. */
  #synced = new Map<string, Map<string, Inode>>();

  constructor(world: World, now: () => number) {
    this.#random = world.random("disk");
    this.#now = now;
  }

  /** All that stands in it and is no secret place: names alone. */
  names(): string[] {
    return [...this.#names.keys()];
  }

  /** Everything since the last sync may be lost, name by name; data that was not written down is lost or torn. */
  cutPower(): void {
    for (const [name, inode] of [...this.#names]) {
      const synced = this.#synced.get(dirname(name));
      const before = synced?.get(name);
      if (inode !== before && !inode.isFolder && this.#random.chance(0.5)) {
        if (before === undefined) this.#names.delete(name);
        else this.#names.set(name, before);
      }
    }
    for (const synced of this.#synced.values())
      for (const [name, inode] of synced)
        if (!this.#names.has(name) && this.#random.chance(0.5)) this.#names.set(name, inode);
    for (const inode of new Set(this.#names.values())) {
      if (inode.isFolder || inode.data === inode.synced) continue;
      const torn = inode.data.slice(0, this.#random.below(inode.data.length + 1));
      inode.data = inode.synced ?? this.#random.pick(["", torn]);
      inode.synced = inode.data;
    }
  }

  /** The calls of `node:fs/promises` that a journal makes, as a process makes them. */
  filesOf(process: Process) {
    const call = <T>(what: string, act: () => T) => {
      const wait = this.trouble === "slow" ? this.#random.spread(50, 4_000) : this.#random.spread(0.02, 2);
      return process.effect(`disk ${what}`, wait, () => {
        if (this.trouble === "failing" && this.#random.chance(0.5)) throw failure(codes.failing);
        return act();
      });
    };
    const change = <T>(what: string, act: () => T) =>
      call(what, () => {
        if (this.trouble === "read-only") throw failure(codes["read-only"]);
        return act();
      });
    const find = (name: string) => {
      const inode = this.#names.get(name);
      if (inode === undefined) throw failure("ENOENT");
      return inode;
    };
    const make = (name: string, isFolder: boolean, mode: number, data = "") => {
      if (!isFolder && this.#names.get(dirname(name))?.isFolder !== true) throw failure("ENOENT");
      const inode: Inode = { isFolder, data, synced: undefined, mtimeMs: this.#now(), mode };
      this.#names.set(name, inode);
      return inode;
    };
    const write = (inode: Inode, data: string, at = 0) => {
      const next = inode.data.slice(0, at) + data + inode.data.slice(at + data.length);
      if (this.trouble === "full" && next.length > inode.data.length) throw failure(codes.full);
      Object.assign(inode, { data: next, mtimeMs: this.#now() });
    };
    const facts = (inode: Inode) => ({
      ...{ mtimeMs: inode.mtimeMs, mode: inode.mode, size: inode.data.length, uid: 1 },
      isDirectory: () => inode.isFolder,
      isFile: () => !inode.isFolder,
    });
    const remove = (name: string) => {
      find(name);
      this.#names.delete(name);
    };
    const stat = (name: string) => call("stat", () => facts(find(name)));
    return {
      stat,
      lstat: stat,
      chmod: (name: string, mode: number) => change("chmod", () => void Object.assign(find(name), { mode })),
      mkdir: (name: string, { mode = 0o777 } = {}) =>
        change("mkdir", () => {
          for (let at = name; at !== "/" && !this.#names.has(at); at = dirname(at)) make(at, true, mode);
        }),
      readdir: (name: string) =>
        call("readdir", () => {
          if (!find(name).isFolder) throw failure("ENOTDIR");
          const inside = [...this.#names.keys()].filter((each) => dirname(each) === name && each !== name);
          return inside.map((each) => each.slice(name.length + 1));
        }),
      readFile: (name: string) => call("read", () => find(name).data),
      writeFile: (name: string, data: string, { flag = "w", mode = 0o666 } = {}) =>
        change("write", () => {
          const known = this.#names.get(name);
          if (known !== undefined && flag === "wx") throw failure("EEXIST");
          const inode = known ?? make(name, false, mode);
          inode.data = "";
          write(inode, data);
        }),
      link: (name: string, other: string) =>
        change("link", () => {
          if (this.#names.has(other)) throw failure("EEXIST");
          this.#names.set(other, find(name));
        }),
      rename: (name: string, other: string) =>
        change("rename", () => {
          this.#names.set(other, find(name));
          this.#names.delete(name);
        }),
      unlink: (name: string) => change("unlink", () => remove(name)),
      rm: (name: string) => change("rm", () => void this.#names.delete(name)),
      utimes: (name: string, _: number, seconds: number) =>
        change("utimes", () => void Object.assign(find(name), { mtimeMs: seconds * 1000 })),
      open: async (name: string, flags: string | number, mode = 0o666) => {
        const creates = flags === "wx" || (typeof flags === "number" && (flags & 0o100) !== 0);
        const inode = await (creates ? change : call)("open", () => {
          const known = this.#names.get(name);
          if (known !== undefined && flags === "wx") throw failure("EEXIST");
          return known ?? (creates ? make(name, false, mode) : find(name));
        });
        return {
          stat: () => call("fstat", () => facts(inode)),
          readFile: () => call("read", () => inode.data),
          writeFile: (data: string | Uint8Array) =>
            change("write", () =>
              write(inode, typeof data === "string" ? data : Buffer.from(data).toString()),
            ),
          truncate: (size: number) =>
            change("truncate", () => void Object.assign(inode, { data: inode.data.slice(0, size) })),
          utimes: (_: number, seconds: number) =>
            change("utimes", () => void Object.assign(inode, { mtimeMs: seconds * 1000 })),
          sync: () =>
            change("sync", () => {
              if (inode.isFolder) this.#syncNames(name);
              else inode.synced = inode.data;
            }),
          close: async () => {},
        };
      },
    };
  }

  #syncNames(folder: string): void {
    this.#synced.set(folder, new Map([...this.#names].filter(([name]) => dirname(name) === folder)));
  }
}

/** A Redis: carries out the commands that core's journal sends, its three scripts known by what only each of them says. */
export class Redis {
  trouble: Trouble = "none";
  readonly #world: World;
  readonly #random: Random;
  readonly #values = new Map<string, { value: string; until: number }>();

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random("redis");
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  clientOf(process: Process) {
    return {
      call: async (...command: string[]): Promise<unknown> => {
        const wait = this.trouble === "slow" ? this.#random.spread(50, 4_000) : this.#random.spread(0.1, 5);
        const isLost = this.trouble === "failing" && this.#random.chance(0.6);
        const isDone = this.#random.chance(0.5);
        return await process.effect(`redis ${command[0]}`, wait, () => {
          if (this.trouble === "full" && command[0] !== "GET") throw new Error("OOM command not allowed");
          if (this.trouble === "read-only" && command[0] !== "GET") throw new Error("READONLY a replica");
          const answer = isLost && !isDone ? undefined : this.#carryOut(command);
          // The connection is lost before the command, or before its answer.
          if (isLost) throw failure("ECONNRESET");
          return answer;
        });
      },
    };
  }

  #get(name: string): string | null {
    const found = this.#values.get(name);
    return found === undefined || found.until <= this.#world.now ? null : found.value;
  }

  #set(name: string, value: string, milliseconds: string | undefined): void {
    this.#values.set(name, { value, until: this.#world.now + Number(milliseconds) });
  }

  #carryOut([name, ...args]: string[]): unknown {
    const [first = "", second = "", ...rest] = args;
    if (name === "GET") return this.#get(first);
    if (name === "DEL") return Number(this.#values.delete(first));
    if (name === "SET") return this.#set(first, second, rest[1]);
    if (name === "SCAN") return ["0", [...this.#values.keys()]];
    const keys = rest.slice(0, Number(second));
    const [key = "", lease = ""] = keys;
    const [one = "", two = "", three = ""] = rest.slice(Number(second));
    if (first.includes("'renew'")) {
      const held = this.#get(key);
      if (held !== one && (held !== null || three === "renew")) return 0;
      return this.#set(key, one, two) ?? 1;
    }
    if (!first.includes("ARGV[3]")) return this.#get(key) === one ? Number(this.#values.delete(key)) : 0;
    if (one !== "" && this.#get(lease) !== one) return 0;
    if (two === "") this.#values.delete(key);
    else this.#set(key, two, three);
    return 1;
  }
}
