import { expect, test } from "vitest";
import { isOwnNetwork, leadsInside } from "../../../core/hosts/own-network.ts";

test("isOwnNetwork() knows the addresses and names that no public network has", () => {
  const own = ["10.0.0.1", "172.16.0.1", "172.31.255.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"];
  const names = [
    "nas",
    "nas.",
    "printer.local",
    "PRINTER.local",
    "tv.lan",
    "fritz.box",
    "minio.media.svc",
    "a.b.internal",
    "home.home.arpa",
  ];
  const mapped = ["10.0.0.1", "192.168.1.1", "172.20.0.1", "169.254.169.254", "127.0.0.1", "100.100.0.1"];
  for (const host of ["localhost", "[fd00::1]", "[fe80::1]", "2130706433", ...own, ...names])
    expect([host, isOwnNetwork(new URL(`http://${host}/`).hostname)]).toEqual([host, true]);
  for (const host of mapped)
    expect([host, isOwnNetwork(new URL(`http://[::ffff:${host}]/`).hostname)]).toEqual([host, true]);
  const others = ["172.32.0.1", "192.169.0.1", "100.128.0.1", "11.0.0.1", "134744072", "[2606:4700::1]"];
  const like = ["video.example", "local.example", "10.0.0.1.example", "a.notlocal"];
  for (const host of [...others, "[::ffff:8.8.8.8]", ...like])
    expect([host, isOwnNetwork(new URL(`http://${host}/`).hostname)]).toEqual([host, false]);
  expect(isOwnNetwork("")).toBe(false);
});

test.each([
  "0.0.0.0",
  "0.1.2.3",
  "127.1",
  "0x7f.1",
  "0300.0250.1.1",
  "168.63.129.16",
  "192.0.0.192",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::ffff:0:0]",
  "[::ffff:168.63.129.16]",
  "[::10.0.0.1]",
  "[::ffff:0:10.0.0.1]",
  "[64:ff9b::10.0.0.1]",
  "[64:ff9b:1::1]",
  "[100::1]",
  "[2001::1]",
  "[2001:db8::1]",
  "[2002:a00:1::]",
  "[fc0::1]",
  "[fec0::1]",
  "[ff02::1]",
  "mshome.net",
  "laptop.mshome.net",
  "10.0.0.1.",
])("isOwnNetwork() takes %s for no host of the internet", (host) => {
  expect(isOwnNetwork(new URL(`http://${host}/`).hostname)).toBe(true);
});

test.each([
  ["http://video.example", "http://nas.local", true],
  ["http://video.example", "http://store.example", false],
  ["http://192.168.1.5", "http://10.0.0.1", false],
  ["http://127.0.0.1:8080", "http://127.0.0.1", false],
])("an address at %s that names %s leads inside: %s", (from, to, expected) => {
  expect(leadsInside(new URL(from), new URL(to))).toBe(expected);
});
