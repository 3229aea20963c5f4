/** Commands wait for the document, are sent once, and none is lost where it has ended. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { FROM_OFFSCREEN, TO_OFFSCREEN } from "../../../entrypoints/shared/messages.ts";
import {
  type OffscreenChannel,
  openOffscreenChannel,
} from "../../../entrypoints/shared/offscreen-channel.ts";

let told: string[];
let events: BroadcastChannel;
let commands: BroadcastChannel;
let channel: OffscreenChannel;

beforeEach(() => {
  told = [];
  events = new BroadcastChannel(FROM_OFFSCREEN);
  commands = new BroadcastChannel(TO_OFFSCREEN);
  commands.onmessage = ({ data }) => void told.push(data.type);
});
afterEach(() => {
  for (const each of [channel, events, commands]) each.close();
});

test("commands are sent once the document is ready, and kept for the next one after its end", async () => {
  const heard: string[] = [];
  let made = 0;
  const make = async () => void made++;
  channel = openOffscreenChannel(({ type }) => void heard.push(type), make);
  channel.send({ type: "undo" });
  const ready = channel.waitUntilReady();
  await expect.poll(() => told.length).toBeGreaterThan(1);
  expect(new Set(told)).toEqual(new Set(["hello"]));
  events.postMessage({ type: "ready" });
  await ready;
  const commandsTold = () => told.filter((type) => type !== "hello");
  await expect.poll(commandsTold).toEqual(["undo"]);
  expect([heard, made]).toEqual([["ready"], 1]);
  channel.send({ type: "list" });
  await expect.poll(commandsTold).toEqual(["undo", "list"]);
  channel.noteEnd();
  channel.send({ type: "hosts-changed" });
  events.postMessage({ type: "ready" });
  await expect.poll(commandsTold).toEqual(["undo", "list", "hosts-changed"]);
});

test("a document that can't be made is waited for all the same, and what is closed says nothing", async () => {
  channel = openOffscreenChannel(undefined, () => Promise.reject(new Error("died")));
  const ready = channel.waitUntilReady();
  events.postMessage({ type: "ready" });
  await ready;
  channel.close();
  expect(() => channel.send({ type: "undo" })).toThrow();
});
