/** Has work wait for its turn, so that not everything is asked for at once. */

type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // Finished work hands its place on.
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next !== undefined) next();
      else running--;
    }
  };
}

/**
 * The same for each host: what is for other hosts runs beside it.
 *
 * @param most at a time for one host. @default 3
 */
export function createHostTurns(
  most = 3,
): <Result>(host: string, work: () => Promise<Result>) => Promise<Result> {
  const hosts = new Map<string, Turns>();
  return (host, work) => {
    const inTurn = hosts.get(host) ?? createTurns(most);
    hosts.set(host, inTurn);
    return inTurn(work);
  };
}
