/**
 * Firefox's own protocol for tests, Marionette: commands over a TCP socket, each a JSON array behind its length. It needs
 * no driver between, and can also do what only the browser's own windows can.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Marionette {
  /** Sends a command, and resolves with its result. */
  send<Result = unknown>(command: string, parameters?: object): Promise<Result>;
  close(): void;
}

export interface MarionetteError {
  error: string;
  message: string;
}

/** @throws where nothing listens at the port yet */
export async function openMarionette(port: number): Promise<Marionette> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let last = 0;
  const end = () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox has ended"));
    waiting.clear();
  };
  socket.once("close", end);
  socket.on("error", end);
  const greeted = new Promise<void>((resolve) => {
    readMessages(socket, (message) => {
      if (!Array.isArray(message)) return resolve();
      const [, id, error, result] = message as [number, number, MarionetteError | null, unknown];
      const command = waiting.get(id);
      waiting.delete(id);
      if (error === null) command?.resolve(result);
      else command?.reject(new Error(`${error.error}: ${error.message}`));
    });
  });
  await greeted;
  return {
    send<Result>(command: string, parameters: object = {}) {
      const id = ++last;
      const text = Buffer.from(JSON.stringify([0, id, command, parameters]));
      return new Promise<Result>((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        if (socket.destroyed) end();
        else socket.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
      });
    },
    close: () => socket.destroy(),
  };
}

/** Each message comes as its length in bytes, a colon, and its JSON. */
function readMessages(socket: Socket, onMessage: (message: unknown) => void): void {
  let unread = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    for (;;) {
      const colon = unread.indexOf(":");
      const size = Number(unread.subarray(0, Math.max(colon, 0)).toString());
      if (colon === -1 || unread.length < colon + 1 + size) return;
      const text = unread.subarray(colon + 1, colon + 1 + size).toString();
      unread = unread.subarray(colon + 1 + size);
      onMessage(JSON.parse(text));
    }
  });
}
