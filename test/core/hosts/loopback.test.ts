import { expect, test } from "vitest";
import { isLoopback } from "../../../core/hosts/loopback.ts";

test("isLoopback() knows this machine by every name it has", () => {
  const mapped = ["[::ffff:0:0]", "[::ffff:7f00:1]", "[::ffff:7f01:203]", "[::ffff:7fff:fffe]"];
  for (const host of [
    "localhost",
    "localhost.",
    "a.localhost",
    "127.0.0.1",
    "127.255.255.254",
    "[::1]",
    ...mapped,
  ])
    expect([host, isLoopback(host)]).toEqual([host, true]);
  for (const host of [
    "localhost.example",
    "127.0.0.1.example",
    "video.example",
    "[::2]",
    "1270.0.0.1",
    "",
    "[::1]a",
    "a[::1]",
  ])
    expect([host, isLoopback(host)]).toEqual([host, false]);
});
