/** Gathers which jobs changed, so that progress is sent a few times a second only. */

/** Milliseconds between two broadcasts of progress. */
const BROADCAST_INTERVAL = 200;

export interface Broadcast {
  /** Sends jobs with the next broadcast. */
  soon(ids: string[]): void;
  /** Sends jobs at once, and with them what was to be sent soon. */
  now(ids: string[]): void;
}

/** @param send sends the jobs with these ids, as they are then */
export function createBroadcast(send: (ids: string[]) => void): Broadcast {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function sendChanged(): void {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...changed];
    changed.clear();
    send(ids);
  }

  return {
    soon(ids) {
      for (const id of ids) changed.add(id);
      timer ??= setTimeout(sendChanged, BROADCAST_INTERVAL);
    },
    now(ids) {
      for (const id of ids) changed.add(id);
      sendChanged();
    },
  };
}
