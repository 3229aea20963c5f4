/** Each option of `upload()` has an effect: one that is checked and then forgotten is noticed here. */
import { expect, test } from "vitest";
import { isUpcutError } from "../../../core/errors/errors.ts";
import {
  createClient,
  type Journal,
  memoryJournal,
  type Uploadable,
  type UploadOptions,
  upload,
} from "../../../core/mod.ts";
import {
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestField,
  type RequestFields,
} from "../../../core/service/request-fields.ts";
import { PART_SIZE } from "../../../core/source/parts.ts";
import type { DEFAULT_TIMEOUTS } from "../../../core/transfer/request.ts";
import type { Switches } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { startRawServer } from "../../support/hosts/raw-server.ts";

const service = useService({ assetCall: true, processing: "hash" });
const client = () =>
  createClient({ baseUrl: service.baseUrl, token: service.token, paths: { asset: "/api/asset/{id}" } });
const videoOf = (size: number) =>
  new File([new Uint8Array(size)], "video.mp4", { type: "video/mp4", lastModified: 1 });

/** What shows of an upload with these options. */
type Fact = (options: UploadOptions) => Promise<unknown>;

type OptionName =
  | Exclude<keyof UploadOptions, "retry" | "timeout" | keyof RequestFields>
  | `retry.${keyof (object & UploadOptions["retry"])}`
  | `timeout.${keyof typeof DEFAULT_TIMEOUTS}`;

/** What it fails with, or nothing. */
const failure = async (given: Uploadable, options: UploadOptions): Promise<string | undefined> =>
  await upload(client(), given, { retry: { attempts: 0 }, ...options }).then(
    () => undefined,
    (error) => (isUpcutError(error) ? error.message : String(error)),
  );

/** The request that is sent for a location, or why none is. */
const asked =
  (given: () => Uploadable = () => videoOf(9)): Fact =>
  async (options) => {
    let found: unknown;
    const requester = {
      scope: "one",
      async requestUpload(request: unknown): Promise<never> {
        found = request;
        throw new Error("enough");
      },
    };
    const error = await upload(requester, given(), options).catch((thrown: Error) => thrown.message);
    return found ?? error;
  };

/** The first wait, which ends the upload; nothing where it didn't wait, and why it failed. */
const firstWait =
  (switches: Partial<Switches>, journal?: Journal): Fact =>
  async (options) => {
    await service.set(switches);
    const stop = new AbortController();
    let found: unknown;
    const onProgress: UploadOptions["onProgress"] = ({ waiting }) => {
      if (waiting === undefined) return;
      const { reason, until = 0 } = waiting;
      found = { reason, isNow: Number.isInteger(until), isLong: until - Date.now() > 500 };
      stop.abort("enough");
    };
    const signal = stop.signal;
    const usual = { method: "resumable", retry: {}, ...(journal && { journal }) } as const;
    const error = await failure(videoOf(9), { ...usual, ...options, signal, onProgress });
    return [found, error];
  };
const BUSY = { host: "upload", method: "POST", path: "", status: 503, times: 1 } as const;
const busy = firstWait({ answerStatus: [BUSY] });

/** What becomes of an upload that was stopped before its first byte. */
const resumed: Fact = async (options) => {
  const journal = memoryJournal();
  const stop = new AbortController();
  const onProgress: UploadOptions["onProgress"] = ({ state }) => state === "sending" && stop.abort("enough");
  await failure(videoOf(9), { method: "resumable", journal, onProgress, signal: stop.signal });
  return await firstWait({}, journal)(options);
};

const callsOf =
  (optionOf: (call: () => void) => UploadOptions): Fact =>
  async (options) => {
    let calls = 0;
    await failure(videoOf(9), Object.keys(options).length > 0 ? optionOf(() => void calls++) : {});
    return calls > 0;
  };

/** What an upload of a source, or to a host, ends in that never answers. */
const silent: Fact = async (options) => {
  const { origin } = await startRawServer(() => {});
  const tusEndpoint = `${origin}/upload`;
  const location = { asset: { id: "one" }, tusEndpoint, mismatches: [] };
  const requester = { scope: "one", requestUpload: async () => location };
  const given =
    (options.timeout as { stall?: number } | undefined)?.stall === undefined
      ? videoOf(9)
      : new URL(tusEndpoint);
  const limits = { method: "resumable", retry: { attempts: 0 } } as const;
  const error = await caught(upload(requester, given, { ...options, ...limits }));
  return error.message;
};

const text = () => new File(["a"], "notes.txt", { type: "text/plain" });
const stream = () => new Blob([new Uint8Array(9)]).stream();
const verified: Fact = async (options) =>
  (await upload(client(), videoOf(9), { verify: true, method: "resumable", ...options })).verified;

/** A value of each kind of request field. */
const VALUES: Record<RequestField["control"], unknown> = {
  text: "Another",
  switch: true,
  policy: { type: "public" },
  profiles: [],
};

/** An option, what shows of it, and with what it is compared where that isn't its absence. */
const EFFECTS: Record<OptionName, [given: UploadOptions, fact: Fact, other?: UploadOptions]> = {
  fields: [{ fields: { further: 1 } }, asked()],
  filename: [{ filename: "another.mp4" }, asked()],
  type: [{ type: "video/mp4" }, asked(text)],
  size: [{ size: 9 }, async (options) => await asked(stream)({ ...options, method: "direct" })],
  method: [{ method: "direct" }, asked(stream)],
  journal: [{ journal: { ...memoryJournal(), get: () => Promise.reject(new Error("away")) } }, asked()],
  resume: [{ resume: false }, resumed],
  once: [
    { once: true },
    async (options) => {
      const journal = memoryJournal();
      const send = () => upload(client(), videoOf(9), { ...options, journal });
      await send();
      return (await send()).uploadedBefore;
    },
  ],
  verify: [{ verify: true }, async (options) => (await upload(client(), videoOf(9), options)).verified],
  signal: [{ signal: AbortSignal.abort("enough") }, asked()],
  onProgress: [{ onProgress() {} }, callsOf((onProgress) => ({ onProgress }))],
  onRequest: [{ onRequest() {} }, callsOf((onRequest) => ({ onRequest }))],
  onResponse: [{ onResponse() {} }, callsOf((onResponse) => ({ onResponse }))],
  headers: [
    { headers: {} },
    callsOf((call) => ({
      headers() {
        call();
        return {};
      },
    })),
  ],
  "retry.attempts": [{ retry: { attempts: 0 } }, busy],
  "retry.minDelay": [{ retry: { minDelay: 0 } }, busy],
  "retry.maxDelay": [{ retry: { maxDelay: 0 } }, busy],
  "retry.shouldRetry": [{ retry: { shouldRetry: () => false } }, busy],
  "timeout.stall": [{ timeout: { stall: 20 } }, silent, { timeout: { stall: 30 } }],
  "timeout.answer": [{ timeout: { answer: 100 } }, silent, { timeout: { answer: 200 } }],
  "timeout.settle": [{ timeout: { settle: 0 } }, resumed],
  "timeout.verify": [{ timeout: { verify: 1 } }, verified],
  chunkSize: [
    { chunkSize: PART_SIZE },
    async (options) => {
      const stop = new AbortController();
      let found: number | undefined;
      const onRequest: UploadOptions["onRequest"] = ({ kind, bytes }) => {
        if (kind !== "content") return;
        found = bytes;
        stop.abort("enough");
      };
      await failure(videoOf(2 * PART_SIZE + 1), { ...options, onRequest, signal: stop.signal });
      return found;
    },
  ],
  bandwidth: [
    { bandwidth: 1024 },
    async (options) => {
      const stop = new AbortController();
      const positions: number[] = [];
      const onProgress: UploadOptions["onProgress"] = ({ sent }) => {
        if (sent === 0) return;
        positions.push(sent);
        stop.abort("enough");
      };
      await failure(videoOf(5000), { ...options, onProgress, signal: stop.signal });
      return positions;
    },
  ],
};

const OF_FIELDS = REQUEST_FIELD_NAMES.map((name): [string, (typeof EFFECTS)[OptionName]] => [
  name,
  [{ [name]: VALUES[REQUEST_FIELDS[name].control] }, asked()],
]);

test.each([...OF_FIELDS, ...Object.entries(EFFECTS)])(
  "%s has an effect",
  async (_, [given, fact, other = {}]) => {
    const without = await fact(other);
    await service.reset();
    expect(await fact(given)).not.toEqual(without);
  },
);
