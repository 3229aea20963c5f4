import { expect, test } from "vitest";
import type { Client } from "../../core/client.ts";
import { endStream } from "../../core/end-stream.ts";

test.each([
  ["where it was", "/stream/{id}", []],
  ["at its other place", "/api/stream/{id}", ["/api/stream/{id}"]],
])("endStream() keeps the path of a call that is %s: %s", async (_, terminate, expected) => {
  for (const fails of [false, true]) {
    const client = { paths: { terminate: "/stream/{id}" } } as Client;
    const terminateStream: Client["terminateStream"] = async () => {
      Object.assign(client.paths, { terminate });
      if (fails) throw new Error("not found");
    };
    const kept: unknown[] = [];
    const keep = async (path: unknown) => {
      kept.push(path);
      throw new Error("the disk is full");
    };
    const ended = endStream(Object.assign(client, { terminateStream }), "launch-stream", keep);
    if (fails) await expect(ended).rejects.toThrow("not found");
    else await ended;
    expect(kept).toEqual(expected);
  }
});
