/**
 * The client of a service's account: asks for upload locations and ends live streams. Carries no upload code.
 *
 * @example End a live stream
 * ```ts
 * import { createClient } from "@upcut/core/client";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * await client.terminateStream("my-stream").catch(({ code }) => console.log(code)); // "unreachable": nothing listens there
 * ```
 *
 * @module
 */

import * as v from "valibot";
import { digest } from "./content/digest.ts";
import { errorFacts } from "./errors/error-codes.ts";
import { checkedFetch, type Fetch, runtimeFetch } from "./http/fetch.ts";
import { type RequestHooks, requestHooks } from "./http/observe.ts";
import { ownHeaders } from "./http/own-headers.ts";
import {
  abortSignal,
  callback,
  flag,
  invalidOption,
  milliseconds,
  readOptions,
  text,
} from "./options/checks.ts";
import { openAccount } from "./service/account.ts";
import type { UploadLocation } from "./service/asset.ts";
import { checkAssetRequest } from "./service/asset-request.ts";
import { readBaseUrl } from "./service/base-url.ts";
import {
  type AccountCalls,
  askForRefusal,
  type CallOptions,
  isThere,
  knowsStreams,
} from "./service/call-places.ts";
import {
  type AccountAnswer,
  type Call,
  getAssetCall,
  readAssetRecord,
  readLocation,
  requestUploadCall,
  terminateCall,
} from "./service/calls.ts";
import { pathsBeside, READ_ASSET, readPaths } from "./service/paths.ts";
import type { RequestFields } from "./service/request-fields.ts";
import { CALLS, type Requester } from "./service/requester.ts";
import { tokenReader } from "./service/token.ts";

export { isUpcutError } from "./errors/errors.ts";
export type { Requester, UploadLocation };

/** How to reach an account. */
export interface ClientOptions extends RequestHooks {
  /** Base address of the service: http or https, without credentials, query and fragment; a path is kept. */
  baseUrl: string | URL;
  /**
   * The account's token, or a function that returns it, called once for each call. A pasted `Bearer ` and white
   * space around it come off. It is sent to the base address, and to the upload host only with `uploadAuthorization`.
   */
  token: string | (() => string | Promise<string>);
  /**
   * A name for the account, which keeps its unfinished uploads when the token is renewed. Without one, what was begun with
   * another token belongs to another account: it is neither resumed nor discarded.
   * @default a prefix of the token's sha-256
   */
  account?: string | undefined;
  /** Paths of the calls, where a service mounts them elsewhere, or has one that the interface document doesn't show. */
  paths?:
    | {
        /** Where locations are requested. @default "/api/asset/request-upload" */
        requestUpload?: string | undefined;
        /**
         * Where streams are ended; must hold `{id}` once.
         * @default "/stream/{id}/terminate", and where a service has no such call, under the prefix of `requestUpload`
         */
        terminate?: string | undefined;
        /** Where an asset is read, such as `/api/asset/{id}`; must hold `{id}` once. @default none: it can't be read */
        asset?: string | undefined;
      }
    | undefined;
  /** Used for every request of this client and of the uploads made with it. @default the runtime's own */
  fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** Milliseconds until a call without an answer fails. @default 20000 */
  timeout?: number | undefined;
  /**
   * True to send the account token to the upload host, too. The interface document leaves open whether
   * locations need it, and some hosts refuse it, so leave it off unless the service asks for it.
   * @default false
   */
  uploadAuthorization?: boolean | undefined;
  /**
   * Headers of your own for the calls of the account, or a function that gives them. It is called once per call with what
   * `onRequest` is told. They go to the base address alone, never across a redirect; `upload()` has `headers` of its own for
   * upload hosts. Those that a call has by itself are refused (`invalid-option`), such as `Authorization`.
   */
  headers?:
    | Record<string, string>
    | ((
        request: Parameters<NonNullable<RequestHooks["onRequest"]>>[0],
      ) => Record<string, string> | Promise<Record<string, string>>)
    | undefined;
}

/** An account of a service. */
export interface Client extends Requester {
  /** The paths of the calls. `terminate` changes once the service has shown that it has that call at its other place. */
  readonly paths: Readonly<NonNullable<ClientOptions["paths"]>>;
  /**
   * Stands for base address and account in a journal.
   *
   * @returns a hash, no secret
   */
  scope(): Promise<string>;
  /**
   * The headers the upload host gets beside the protocol's own.
   *
   * @returns the authorization; nothing unless `uploadAuthorization` is on
   */
  uploadHeaders(): Promise<Record<string, string>>;
  /**
   * Creates an asset and returns where its content goes (interface document: "Request an upload location").
   *
   * The request is never repeated: when no answer comes, an asset may have been created. (A browser may itself send the request
   * again when a kept-alive connection breaks; a page can't prevent that.)
   *
   * @param request the asset's fields, all optional
   * @param options a signal that ends the wait, and milliseconds instead of the client's
   * @returns the asset and the locations that can be used
   * @throws {InputError} `invalid-request` or `invalid-option` before anything is sent.
   * @throws {ServiceError} when the service refuses or answers something else.
   * @throws {UploadError} `location-refused` when it gives locations that must not be used.
   * @throws {ConnectionError} `unreachable`, or `asset-unknown` when the answer was lost.
   */
  requestUpload(
    request?: RequestFields & {
      /** Further fields, passed through. */
      fields?: Record<string, unknown> | undefined;
    },
    options?: { signal?: AbortSignal | undefined; timeout?: number | undefined },
  ): Promise<UploadLocation>;
  /**
   * Ends the running session of a live stream (interface document: "Terminate a stream session"). The recording
   * stops, and the streamer may start again at once.
   *
   * The call is never repeated, but where a service has no such call (404), the call is made at its other place, unless
   * `paths.terminate` was given. The service may answer success for a stream that isn't live.
   *
   * @param id the stream's identifier; sent as one path segment, whatever it holds
   * @param options a signal that ends the wait, and milliseconds instead of the client's
   * @throws {InputError} `invalid-id` or `invalid-option` before anything is sent.
   * @throws {ServiceError} when the service refuses or answers something else.
   * @throws {ConnectionError} `unreachable`, or `terminate-unknown` when the answer was lost.
   */
  terminateStream(
    id: string,
    options?: { signal?: AbortSignal | undefined; timeout?: number | undefined },
  ): Promise<void>;
  /**
   * Reads the record of an asset: its `status`, and once it is known its `size`, `hash` and `playbackUrl`. Needs
   * `paths.asset`, since the interface document shows no such call. One request; `watchAsset()` follows the changes.
   *
   * @param id the asset's identifier; sent as one path segment, whatever it holds
   * @param options a signal that ends the wait, and milliseconds instead of the client's
   * @returns the record as it came, and where it differs from the interface document ("Asset")
   * @throws {InputError} `invalid-id`, or `invalid-option` without `paths.asset`, before anything is sent.
   * @throws {ServiceError} `asset-not-found`, or when the service refuses or answers something else.
   * @throws {ConnectionError} `unreachable`, or `unanswered` when no answer came.
   */
  getAsset(
    id: string,
    options?: { signal?: AbortSignal | undefined; timeout?: number | undefined },
  ): Promise<Pick<UploadLocation, "asset" | "mismatches">>;
}

const clientOptions = v.strictObject({
  // Functions of their own read these; the first two may hold the token, which no message may show.
  baseUrl: v.optional(v.any()),
  token: v.optional(v.any()),
  paths: v.optional(v.any()),
  account: v.optional(text),
  fetch: v.optional(callback<Fetch>()),
  timeout: v.optional(milliseconds, 20_000),
  uploadAuthorization: v.optional(flag, false),
  headers: ownHeaders,
  ...requestHooks,
});

const callOptions = v.strictObject({ signal: v.optional(abortSignal), timeout: v.optional(milliseconds) });

/**
 * Makes a client for one account of one service.
 *
 * @param options address and token, and what differs from the defaults
 * @returns the client; nothing was sent yet
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 * @example A service that mounts its stream calls under a prefix
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
  const { fetch: given, ...settings } = readOptions("create a client", clientOptions, options);
  const { account, timeout, uploadAuthorization } = settings;
  const fetch = given && checkedFetch(given);
  const base = readBaseUrl(options.baseUrl);
  const paths = readPaths(options.paths);
  const tokens = new Set<string>();
  const currentToken = tokenReader(options.token, tokens);
  const send = openAccount(fetch ?? runtimeFetch, options);

  async function ask(call: Call, given: CallOptions): Promise<AccountAnswer> {
    const { signal, timeout: own = timeout } = readOptions(call.purpose, callOptions, given);
    signal?.throwIfAborted();
    const token = await currentToken(own, signal);
    return await send({ ...call, baseUrl: base, token, secrets: [token], signal, timeout: own });
  }

  const others = pathsBeside(paths.requestUpload, options.paths);
  const calls: AccountCalls = {
    ...{ baseUrl: base, paths, others, ask },
    secrets: () => [...tokens],
    readToken: () => currentToken(timeout),
  };
  const client: Client & { readonly [CALLS]: AccountCalls } = {
    [CALLS]: calls,
    ...(fetch && { fetch }),
    paths,
    readsAssets: paths.asset !== undefined,

    async scope() {
      return await digest([base, account ?? (await digest([await currentToken(timeout)])).slice(0, 16)]);
    },

    async uploadHeaders(): Promise<Record<string, string>> {
      if (!uploadAuthorization) return {};
      return { Authorization: `Bearer ${await currentToken(timeout)}` };
    },

    async requestUpload(request = {}, given = {}) {
      return readLocation(await ask(requestUploadCall(paths, checkAssetRequest(request)), given));
    },

    async terminateStream(id, given = {}) {
      // Read before the first question: another call may find the other place meanwhile, which this one didn't ask.
      const { terminate: other } = others;
      const refusal = await askForRefusal(calls, terminateCall(paths.terminate, id), given);
      if (refusal === undefined) return;
      if (other === undefined || knowsStreams(refusal)) throw refusal;
      const call = terminateCall(other, id);
      const otherRefusal = await askForRefusal(calls, call, given);
      if (otherRefusal !== undefined) {
        const { code } = otherRefusal;
        if (errorFacts(code).kept === "unknown" || code === "unreachable") throw otherRefusal;
        if (!(await isThere(calls, call, otherRefusal, given))) throw refusal;
      }
      paths.terminate = other;
      delete others.terminate;
      if (otherRefusal !== undefined) throw otherRefusal;
    },

    async getAsset(id, given = {}) {
      const call = getAssetCall(paths.asset ?? "", id);
      if (paths.asset === undefined)
        throw invalidOption(
          READ_ASSET,
          "paths.asset is not set, and the interface document shows no such call. If the service has one, " +
            "give its path to createClient(), such as /api/asset/{id}",
        );
      return readAssetRecord(await ask(call, given), id);
    },
  };
  return client;
}
