/**
 * The client of a service's account: asks for upload locations and ends live streams. Carries no upload code.
 *
 * @example
 * ```ts
 * import { createClient, isUpcutError } from "@upcut/core/client";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * await client.terminateStream("my-stream").catch((error) => {
 *   if (!isUpcutError(error)) throw error;
 *   console.log(error.code); // "not-reached": nothing listens there
 * });
 * ```
 *
 * @module
 */

import { type AssetRequest, checkAssetRequest, type UploadLocation } from "./asset.ts";
import { digest } from "./digest.ts";
import { InputError, redact, show } from "./errors.ts";
import { type Journal, memoryJournal } from "./journal.ts";
import { readUploadLocation } from "./location.ts";
import {
  type AccountAnswer,
  type AccountCall,
  callAccount,
  type Fetch,
  runtimeFetch,
  unexpectedAnswer,
} from "./request.ts";

export { isUpcutError } from "./errors.ts";
export type { AssetRequest, Fetch, UploadLocation };

/** Paths of the two account calls below the base address; services may mount them under a prefix. */
export interface Paths {
  /** Where locations are requested. @default "/api/asset/request-upload" */
  requestUpload: string;
  /** Must hold `{id}` once. @default "/stream/{id}/terminate" */
  terminate: string;
}

/** How to reach an account. */
export interface ClientOptions {
  /** Base address of the service: http or https, without credentials, query and fragment; a path is kept. */
  baseUrl: string | URL;
  /**
   * The account's token, or a function that returns it, called once for each call. A pasted `Bearer ` and white
   * space around it come off. It is sent to the base address alone.
   */
  token: string | (() => string | Promise<string>);
  /**
   * A name for the account, so that an unfinished upload continues after the token was renewed.
   * @default a prefix of the token's sha-256
   */
  account?: string;
  /** Paths of the two calls. @default the paths of the interface document */
  paths?: Partial<Paths>;
  /** Used for every request of this client and of the uploads made with it. @default the runtime's own */
  fetch?: Fetch;
  /** Milliseconds until a call without an answer fails. @default 20000 */
  timeout?: number;
  /**
   * Whether the account token is also sent to the upload host. The interface document leaves open whether
   * locations need it, and some hosts refuse it, so leave it off unless the service asks for it.
   * @default false
   */
  uploadAuthorization?: boolean;
  /** Remembers unfinished uploads. @default a journal in memory, one per client */
  journal?: Journal;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the wait; the call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds, instead of the client's. */
  timeout?: number;
}

/** An account of a service. */
export interface Client {
  /** Stands for base address and account in a journal: a hash, no secret. */
  scope(): Promise<string>;
  /** Remembers the unfinished uploads made with this client. */
  readonly journal: Journal;
  /** The injected `fetch`, if there is one. */
  readonly fetch?: Fetch;
  /** The headers the upload host gets beside the protocol's own; empty unless `uploadAuthorization` is on. */
  uploadHeaders(): Promise<Record<string, string>>;
  /**
   * Creates an asset and returns where its content goes (interface document: "Request an upload location").
   *
   * It is never repeated by itself: when no answer comes, an asset may have been created.
   *
   * @throws {InputError} `invalid-request` before anything is sent.
   * @throws {ServiceError} when the service refuses or answers something else.
   * @throws {ConnectionError} `not-reached`, or `asset-unknown` when the answer was lost.
   */
  requestUpload(request?: AssetRequest, options?: CallOptions): Promise<UploadLocation>;
  /**
   * Ends the running session of a live stream (interface document: "Terminate a stream session"). The recording
   * stops, and the streamer may start again at once.
   *
   * It is never repeated by itself. The service may answer success for a stream that isn't live.
   *
   * @param id the stream's identifier; sent as one path segment, whatever it holds
   * @throws {InputError} `invalid-id` before anything is sent.
   * @throws {ServiceError} when the service refuses or answers something else.
   * @throws {ConnectionError} `not-reached`, or `end-unknown` when the answer was lost.
   */
  terminateStream(id: string, options?: CallOptions): Promise<void>;
}

const DEFAULT_PATHS: Paths = {
  requestUpload: "/api/asset/request-upload",
  terminate: "/stream/{id}/terminate",
};

const OPTION_NAMES = new Set(
  "baseUrl token account paths fetch timeout uploadAuthorization journal".split(" "),
);

/**
 * Makes a client for one account of one service.
 *
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 * @example
 * ```ts
 * import { createClient } from "@upcut/core";
 *
 * const client = createClient({
 *   baseUrl: "https://video.example",
 *   token: () => "<API_KEY>",
 *   paths: { terminate: "/api/stream/{id}/terminate" },
 * });
 * console.log(typeof client.requestUpload); // "function"
 * ```
 */
export function createClient(options: ClientOptions): Client {
  if (typeof options !== "object" || options === null) refuse("options", options, "an object");
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.has(name)) throw optionError(`there is no option ${show(name)}`);
  }
  const base = readBaseUrl(options.baseUrl);
  const { token } = options;
  if (typeof token === "string") readToken(token);
  else if (typeof token !== "function") {
    // A number may be a token that was not written as a string.
    const found = typeof token === "number" || typeof token === "bigint" ? "a number" : show(token);
    throw optionError(`token is ${found}, expected a string or a function`);
  }
  const paths = readPaths(options.paths);
  const timeout = readTimeout(options.timeout, CREATE) ?? 20_000;
  if (options.fetch !== undefined && typeof options.fetch !== "function")
    refuse("fetch", options.fetch, "a function");
  const { account, uploadAuthorization = false } = options;
  if (account !== undefined && (typeof account !== "string" || account.trim() === "")) {
    refuse("account", account, "a name that isn't blank");
  }
  if (typeof uploadAuthorization !== "boolean")
    refuse("uploadAuthorization", uploadAuthorization, "true or false");
  const journal = readJournal(options.journal) ?? memoryJournal();
  const fetch = options.fetch ?? runtimeFetch;

  const currentToken = async () => readToken(typeof token === "function" ? await token() : token);

  async function call(
    details: Pick<AccountCall, "method" | "purpose" | "path" | "lost" | "body"> & { address: string },
    callOptions: CallOptions,
  ): Promise<{ answer: AccountAnswer; call: AccountCall }> {
    const { signal, timeout: own = timeout } = readCallOptions(callOptions, details.purpose);
    signal?.throwIfAborted();
    const current = await unlessAborted(currentToken(), signal);
    const sent: AccountCall = { ...details, token: current, signal, timeout: own };
    return { answer: await callAccount(sent, fetch), call: sent };
  }

  return {
    journal,
    ...(options.fetch && { fetch: options.fetch }),

    async scope() {
      return await digest([base.href, account ?? (await digest([await currentToken()])).slice(0, 16)]);
    },

    async uploadHeaders(): Promise<Record<string, string>> {
      return uploadAuthorization ? { Authorization: `Bearer ${await currentToken()}` } : {};
    },

    async requestUpload(request = {}, callOptions = {}) {
      const body = checkAssetRequest(request);
      const { answer, call: sent } = await call(
        {
          method: "POST",
          address: base.href + paths.requestUpload,
          body,
          purpose: "request an upload location",
          path: "requestUpload",
          lost: {
            code: "asset-unknown",
            state: "An asset may have been created: look into the account before trying again",
          },
        },
        callOptions,
      );
      const location = readUploadLocation(parseAnswer(sent, answer), base.secure, "service");
      if ("problem" in location)
        throw unexpectedAnswer(sent, answer, `${String(location.problem)}. ${sent.lost.state}`);
      if (location.url === undefined && location.tusEndpoint === undefined) {
        const found = location.mismatches.filter(({ path }) => path === "url" || path === "tusEndpoint");
        const why = found
          .map((each) => `${each.path}: expected ${each.expected}, found ${each.found}`)
          .join("; ");
        throw unexpectedAnswer(
          sent,
          answer,
          `asset ${show(location.asset.id)} was created without a usable location (${why})`,
        );
      }
      return location;
    },

    async terminateStream(id, callOptions = {}) {
      const segment = streamSegment(id);
      const { answer, call: sent } = await call(
        {
          method: "DELETE",
          address: base.href + paths.terminate.replace("{id}", () => segment),
          purpose: "terminate the stream session",
          path: "terminate",
          lost: { code: "end-unknown", state: "The session may have ended" },
        },
        callOptions,
      );
      if (answer.status !== 204) {
        const page = describePage(answer.text);
        throw unexpectedAnswer(
          sent,
          answer,
          `the service answered ${answer.status}${page} where 204 was expected. The session may have ended; check baseUrl and paths.terminate`,
        );
      }
    },
  };
}

/**
 * Turns a stream id into the one path segment it is sent as: trimmed, then percent-encoded whole.
 *
 * @throws {InputError} `invalid-id` for ids that can't be a path segment.
 */
export function streamSegment(id: string): string {
  const bad = (what: string) =>
    new InputError("invalid-id", `Cannot terminate the stream session: ${what}. Give the stream's id`);
  if (typeof id !== "string") throw bad(`the id is ${show(id)}, expected a string`);
  const trimmed = id.trim();
  if (trimmed === "") throw bad("the id is empty");
  if (trimmed === "." || trimmed === "..") throw bad(`the id is ${show(trimmed)}, which is no path segment`);
  if (/[\u0000-\u001f\u007f-\u009f]/.test(trimmed))
    throw bad(`the id ${show(trimmed)} holds a control character`);
  try {
    return encodeURIComponent(trimmed);
  } catch {
    throw bad("the id holds half a character (a lone surrogate)");
  }
}

/**
 * Reads a token as a person pastes it: white space around it and `Bearer ` come off.
 *
 * @throws {InputError} `invalid-option`, without repeating the token.
 */
export function readToken(token: unknown): string {
  if (typeof token !== "string") throw tokenError("it is no string");
  const clean = token
    .trim()
    .replace(/^Bearer(\s+|$)/i, "")
    .trim();
  if (clean === "") throw tokenError("it is empty");
  if (/[\u0000-\u001f\u007f-\u009f]/.test(clean))
    throw tokenError("it holds a control character or a line break");
  if (/\s/.test(clean)) throw tokenError("it holds white space");
  if (/[^\u0021-\u007e]/.test(clean)) throw tokenError("it holds a character that no header can carry");
  return clean;
}

/** Empty, a path, something with a scheme, or a host name with or without port and path. */
const ADDRESS_LIKE = /^\s*($|\/|[a-z][\w+.-]*:|localhost\b|[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|\s*$))/i;

/**
 * Reads a base address.
 *
 * @returns the address without a trailing slash, and whether it is https
 * @throws {InputError} `invalid-option`, naming what is wrong.
 */
export function readBaseUrl(baseUrl: unknown): { href: string; secure: boolean; origin: string } {
  if (!(baseUrl instanceof URL) && typeof baseUrl !== "string") {
    throw optionError(`baseUrl is ${show(baseUrl)}, expected an address such as "https://video.example"`);
  }
  let url: URL;
  try {
    url = new URL(typeof baseUrl === "string" ? baseUrl.trim() : baseUrl);
  } catch {
    // What resembles no address may be the token, given in the wrong place.
    const found = ADDRESS_LIKE.test(String(baseUrl)) ? show(String(baseUrl).split(/[?#]/)[0]) : "no address";
    throw optionError(`baseUrl is ${found}, expected an address such as "https://video.example"`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw optionError(`baseUrl begins with ${show(url.protocol)}, expected "https:" or "http:"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw optionError("baseUrl holds a user name or password. Give the account's token as token");
  }
  if (url.search !== "" || url.href.includes("?"))
    throw optionError("baseUrl holds a query. Leave out all from ? on");
  if (url.hash !== "" || url.href.includes("#"))
    throw optionError("baseUrl holds a fragment. Leave out all from # on");
  return { href: url.href.replace(/\/+$/, ""), secure: url.protocol === "https:", origin: url.origin };
}

function readPaths(given: Partial<Paths> | undefined): Paths {
  if (given === undefined) return DEFAULT_PATHS;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    refuse("paths", given, "an object");
  for (const [name, path] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_PATHS, name))
      throw optionError(`there is no path ${show(name)}, only requestUpload and terminate`);
    if (path === undefined) continue;
    if (typeof path !== "string" || !path.startsWith("/"))
      refuse(`paths.${name}`, path, 'a path that begins with "/"');
    if (/[?#\\\s]/.test(path))
      refuse(`paths.${name}`, path, "a path without query, fragment, backslash and white space");
    if (path.split("/").some((segment) => segment === "." || segment === "..")) {
      refuse(`paths.${name}`, path, 'a path without "." and ".."');
    }
    const holes = path.split("{id}").length - 1;
    if (name === "terminate" && holes !== 1) refuse("paths.terminate", path, "a path that holds {id} once");
  }
  return {
    requestUpload: given.requestUpload ?? DEFAULT_PATHS.requestUpload,
    terminate: given.terminate ?? DEFAULT_PATHS.terminate,
  };
}

function readCallOptions(options: CallOptions, purpose: string): CallOptions {
  if (typeof options !== "object" || options === null) refuse("options", options, "an object", purpose);
  for (const name of Object.keys(options)) {
    if (name !== "signal" && name !== "timeout")
      throw optionError(`there is no option ${show(name)}, only signal and timeout`, purpose);
  }
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    refuse("signal", signal, "an AbortSignal", purpose);
  readTimeout(options.timeout, purpose);
  return options;
}

function readTimeout(timeout: unknown, purpose: string): number | undefined {
  if (timeout === undefined) return undefined;
  if (typeof timeout !== "number" || !(timeout > 0) || timeout > 2 ** 31 - 1) {
    refuse("timeout", timeout, "milliseconds above 0 and below 2 ** 31", purpose);
  }
  return timeout;
}

function readJournal(journal: Journal | undefined): Journal | undefined {
  if (journal === undefined) return undefined;
  for (const method of ["get", "set", "delete", "claim"] as const) {
    if (typeof journal?.[method] !== "function")
      refuse("journal", journal, `a journal; it has no ${method}()`);
  }
  return journal;
}

/** Rejects with the signal's reason as soon as it is aborted; the work itself can't be stopped. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const leave = () => signal.removeEventListener("abort", stop);
    work.then(resolve, reject).finally(leave);
  });
}

function parseAnswer(call: AccountCall, answer: AccountAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    const page = describePage(answer.text);
    const advice =
      page === HTML_PAGE
        ? "Check baseUrl, and whether this network asks you to sign in"
        : `${call.lost.state}. Check baseUrl and paths.requestUpload too`;
    const state = `the service answered ${answer.status}${page} where JSON was expected. ${advice}`;
    throw unexpectedAnswer(call, answer, state);
  }
}

const HTML_PAGE = " with an HTML page";

function describePage(text: string): string {
  if (text.trim() === "") return " without a body";
  if (/^\s*<(!doctype|html)/i.test(text)) return HTML_PAGE;
  try {
    JSON.parse(text);
    return " with JSON";
  } catch {
    return " with text that is no JSON";
  }
}

/** Completes "Cannot …" in messages about options. */
const CREATE = "create a client";

function refuse(option: string, value: unknown, expected: string, purpose?: string): never {
  throw optionError(`${option} is ${show(value)}, expected ${expected}`, purpose);
}

function tokenError(state: string): InputError {
  return new InputError("invalid-option", `Cannot use the account token: ${state}. Paste it anew`);
}

function optionError(state: string, purpose: string = CREATE): InputError {
  return new InputError("invalid-option", redact(`Cannot ${purpose}: ${state}`));
}
