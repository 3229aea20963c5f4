/** An account's token goes with running uploads, to the hosts that its own service has named. */
import { beforeEach, expect, test } from "vitest";
import {
  authorizedRequests,
  forgetAuthorizedHosts,
  forgetUploads,
  noteUpload,
  rememberUploadHosts,
} from "../../../entrypoints/background/upload-authorization.ts";
import { knownAccount } from "../../../entrypoints/shared/known-account.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { type StubbedWorker, stubWorker } from "../../support/extension/stub-worker.ts";

const SERVICE = "https://video.example";
const UPLOAD = "https://upload.example";
const account = (address: string, token: string, uploadAuthorization = true) => ({
  settings: { ...DEFAULT_SETTINGS, address, uploadAuthorization },
  token,
});
const own = account(SERVICE, "tok-1");
const target = (origin = UPLOAD) => ({ url: `${origin}/1`, methods: ["patch" as const] });

let worker: StubbedWorker;
beforeEach(() => {
  worker = stubWorker();
});

test("an upload gets the token of its service, at hosts that this has named", async () => {
  await rememberUploadHosts([`${UPLOAD}/tus`], own);
  await noteUpload("one", { address: SERVICE, targets: [target(), target("https://other.example")] });
  expect(await authorizedRequests(own)).toEqual([{ ...target(), token: "tok-1" }]);
  expect(await authorizedRequests(account(SERVICE, "tok-1", false))).toEqual([]);
});

test("an upload goes on with the token that it was begun with, and with no other of the same service", async () => {
  const [a, b, c] = ["tok-a", "tok-b", "tok-c"].map((token) => account(SERVICE, token));
  if (a === undefined || b === undefined || c === undefined) throw new Error("no accounts");
  const upload = async (of: typeof own) => ({
    address: SERVICE,
    account: (await knownAccount(of))?.id,
    targets: [target()],
  });
  for (const [id, each] of Object.entries({ a, b })) {
    await rememberUploadHosts([UPLOAD], each);
    await noteUpload(id, await upload(each));
  }
  const tokens = async () => (await authorizedRequests(c)).map(({ token }) => token);
  expect(await tokens()).toEqual(["tok-a", "tok-b"]);
  // Without its own, an upload has none.
  worker.stored.session["account-tokens"] = undefined;
  expect(await tokens()).toEqual([]);
  await noteUpload("a", await upload(c));
  expect(await tokens()).toEqual(["tok-c"]);
});

test("an upload to a service that was replaced keeps that one's token, until the browser ends", async () => {
  await rememberUploadHosts([UPLOAD], own);
  await noteUpload("one", { address: SERVICE, account: (await knownAccount(own))?.id, targets: [target()] });
  const other = account("https://other.example", "tok-2");
  await rememberUploadHosts(["https://upload.other.example"], other);
  await noteUpload("two", {
    address: "https://other.example",
    targets: [target("https://upload.other.example")],
  });
  expect((await authorizedRequests(other)).map(({ token }) => token)).toEqual(["tok-1", "tok-2"]);
  worker.stored.session["account-tokens"] = undefined;
  expect((await authorizedRequests(other)).map(({ token }) => token)).toEqual(["tok-2"]);
});

test("the token of an account at another address goes to no host that the former service named", async () => {
  await rememberUploadHosts([UPLOAD], own);
  const other = account("https://other.example", "tok-2");
  // The person sent it with the account that is set now; its location is of the former service.
  await noteUpload("one", {
    address: SERVICE,
    account: (await knownAccount(other))?.id,
    targets: [target()],
  });
  expect(await authorizedRequests(other)).toEqual([]);
  // Nor does it once it is remembered, and replaced itself.
  await rememberUploadHosts(["https://upload.other.example"], other);
  expect(await authorizedRequests(own)).toEqual([]);
});

test("no token is remembered where none goes to upload hosts, and each host once, the latest fifty", async () => {
  const silent = account(SERVICE, "tok-1", false);
  await rememberUploadHosts([`${UPLOAD}/1`, `${UPLOAD}/2`], silent);
  const hosts = () => (worker.stored.local["upload-hosts"] as Record<string, string[]>)[SERVICE];
  expect(hosts()).toEqual([UPLOAD]);
  expect(worker.stored.session).toEqual({});
  await rememberUploadHosts(
    [`${UPLOAD}/3`, ...Array.from({ length: 50 }, (_, at) => `https://${at}.example`)],
    silent,
  );
  expect(hosts()).toHaveLength(50);
  expect(hosts()).not.toContain(UPLOAD);
  expect(hosts()?.at(-1)).toBe("https://49.example");
});

test("uploads are forgotten one by one, or all, and hosts with the tokens", async () => {
  await rememberUploadHosts([UPLOAD], own);
  for (const id of ["one", "two", "three"]) await noteUpload(id, { address: SERVICE, targets: [target()] });
  const uploads = () => Object.keys(worker.stored.session["authorized-uploads"] as object);
  await forgetUploads("two");
  expect(uploads()).toEqual(["one", "three"]);
  await forgetUploads();
  expect(uploads()).toEqual([]);
  await forgetAuthorizedHosts();
  expect(worker.stored.local).toEqual({});
  expect(worker.stored.session).not.toHaveProperty("account-tokens");
});

test("what is stored in another form counts as nothing", async () => {
  worker.stored.local["upload-hosts"] = { [SERVICE]: [UPLOAD] };
  const upload = { address: SERVICE, targets: [target()] };
  const broken = { address: SERVICE, targets: [{ url: 1, methods: ["get"] }] };
  worker.stored.session["authorized-uploads"] = { broken, one: upload };
  expect(await authorizedRequests(own)).toHaveLength(1);
  worker.stored.session["authorized-uploads"] = "broken";
  expect(await authorizedRequests(own)).toEqual([]);
});
