/** Has work at one host wait for its turn, so that a batch doesn't ask a server for everything at once. */

/** Runs work once its host has a place; what is for other hosts runs beside it. */
export type HostTurns = <T>(host: string, work: () => Promise<T>) => Promise<T>;

/** @param most at a time for one host. @default 3 */
export function createHostTurns(most = 3): HostTurns {
  const hosts = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async (host, work) => {
    const turns = hosts.get(host) ?? { running: 0, waiting: [] };
    hosts.set(host, turns);
    // Finished work hands its place on.
    if (turns.running >= most) await new Promise<void>((resolve) => turns.waiting.push(resolve));
    else turns.running++;
    try {
      return await work();
    } finally {
      const next = turns.waiting.shift();
      if (next !== undefined) next();
      else if (--turns.running === 0) hosts.delete(host);
    }
  };
}
