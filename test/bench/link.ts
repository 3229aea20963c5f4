/**
 * A long line between a client and an origin, in a process of its own: `link.ts ORIGIN RTT RATE`, in milliseconds and
 * bytes per second. Prints its own origin when it is ready, and ends with its standard input.
 *
 * Each direction carries RATE in all and takes half of RTT; a connection opens after one RTT. What waits for the line
 * waits at its sender, as with TCP, but for a queue of a few milliseconds. There is no loss and no slow start.
 */
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openServer } from "../support/hosts/open-server.ts";

const [origin = "", rtt = "80", rate = "25000000"] = process.argv.slice(2);
const oneWay = Number(rtt) / 2;
const bytesPerMillisecond = Number(rate) / 1000;
const QUEUE = 8;

/** One direction, shared by all connections. */
class Direction {
  #free = 0;

  /** When the last of so many bytes has left, if they come now. */
  pass(bytes: number, earliest: number): number {
    this.#free = Math.max(this.#free, performance.now(), earliest) + bytes / bytesPerMillisecond;
    return this.#free;
  }
}

const [up, down] = [new Direction(), new Direction()];

async function carry(from: Socket, to: Socket, direction: Direction, opened: number): Promise<void> {
  let delivered = Promise.resolve();
  // An end is no reason to destroy it: what it sent before is still on its way.
  for await (const bytes of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const left = direction.pass(bytes.length, opened);
    const arrives = left + oneWay;
    delivered = delivered.then(async () => {
      await until(arrives);
      to.write(bytes);
    });
    await until(left - QUEUE);
  }
  await delivered;
  to.end();
}

async function until(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) await delay(left);
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const { hostname, port } = new URL(origin);
  const upstream = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
  const opened = performance.now() + Number(rtt);
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  client.on("error", end);
  upstream.on("error", end);
  carry(client, upstream, up, opened).catch(end);
  carry(upstream, client, down, opened).catch(end);
});

process.stdin.resume().once("end", () => process.exit(0));
console.log(`http://127.0.0.1:${await openServer(server)}`);
