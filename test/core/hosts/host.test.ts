/** What is kept in mind of a host, and who shares it. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { Hosts } from "../../../core/hosts/host.ts";

afterEach(() => void vi.useRealTimers());

describe("Hosts", () => {
  test("gives the same host for each address of an origin, and another one to others", () => {
    const [hosts, others] = [new Hosts(), new Hosts()];
    const host = hosts.at("https://upload.example/files/1?token=2");
    host.hasAnswered = true;
    expect(hosts.at("https://upload.example/")).toBe(host);
    expect(hosts.at("http://upload.example/").hasAnswered).toBe(false);
    expect(others.at("https://upload.example/").hasAnswered).toBe(false);
  });
});

describe("Host", () => {
  const host = () => new Hosts().at("https://upload.example/");

  test("takes bodies of any length until it is limited, and again after ten minutes", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const met = host();
    expect(met.bodyLimit).toBe(Number.POSITIVE_INFINITY);
    met.limitBodies(8);
    vi.advanceTimersByTime(599_999);
    expect(met.bodyLimit).toBe(8);
    vi.advanceTimersByTime(1);
    expect(met.bodyLimit).toBe(Number.POSITIVE_INFINITY);
  });

  test("takes streams until two have failed in a row, or it refused one", () => {
    const met = host();
    met.failedStreams = 1;
    expect(met.takesStreams).toBe(true);
    met.failedStreams = 2;
    expect(met.takesStreams).toBe(false);
    const refusing = host();
    refusing.refuseStreams();
    expect(refusing.takesStreams).toBe(false);
  });
});
