/** Who asks for upload locations: a client, or anything with two members. */
import { digest } from "../content/digest.ts";
import { checkedFetch } from "../http/fetch.ts";
import { headersProblem } from "../http/own-headers.ts";
import { invalidOption, refusedOption } from "../options/checks.ts";
import { isObject } from "../text/is-object.ts";
import { addressSecrets } from "./address-secrets.ts";
import type { UploadLocation } from "./asset.ts";
import type { AccountCalls } from "./call-places.ts";
import type { RequestFields } from "./request-fields.ts";

/**
 * Asks for locations: a client, or anything with these two members, for example a message to another
 * context or a call to a gateway. So a context without a token uploads with the same code.
 */
export interface Requester {
  /** Stands for base address and account in a journal; no secret. */
  readonly scope: string | (() => string | Promise<string>);
  /**
   * Creates an asset and returns where its content goes.
   *
   * @param request the asset's fields, checked already
   * @param options a signal that ends the wait
   * @returns the asset, and one location at least
   * @throws what `errorFromRecord()` makes of a refusal. Any other error of its own ends the call as it came.
   */
  requestUpload(
    request: RequestFields & { [field: string]: unknown },
    options: { signal: AbortSignal },
  ): Promise<UploadLocation>;
  /**
   * True if this requester is for one upload alone and gives the same answer when it is asked again. Else a call that ends
   * while it asks leaves a note, by which the next one says that an asset may exist. @default false
   */
  readonly repeatable?: boolean;
  /**
   * Used to read a video from a URL and to send it. In a page, what is sent by it follows no redirect, but tells no
   * progress within a request.
   * @default the runtime's best way
   */
  readonly fetch?: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * In a page: gives the XMLHttpRequest that sends to an origin. The page's own follows a redirect of the upload host,
   * with all bytes, unless a Content-Security-Policy stops it; that of a frame whose `connect-src` is this origin alone
   * sends nothing elsewhere. What goes as a stream follows no redirect, and is sent by the page's own fetch.
   *
   * @param origin that of the upload host
   * @returns what sends there, or nothing where the runtime's fetch has to
   * @default the page's own, which the page's own Content-Security-Policy limits
   */
  xhrFor?(origin: string): Promise<
    | {
        /** The class of a frame that may connect to the origin alone. */
        readonly XMLHttpRequest: typeof globalThis extends { XMLHttpRequest: infer Class } ? Class : never;
        /** Tells whether a request was kept from following a redirect to another origin. Asked when one has failed. */
        wasRedirected(): Promise<boolean>;
      }
    | undefined
  >;
  /**
   * Reads the record of an asset, for `verify`.
   *
   * @param id the asset's identifier
   * @param options a signal that ends the wait
   * @returns the record, and where it differs from the interface document
   */
  getAsset?(
    id: string,
    options: { signal?: AbortSignal | undefined },
  ): Promise<Pick<UploadLocation, "asset" | "mismatches">>;
  /** True if `getAsset()` can be called: without a path for it, a client's can't. @default false */
  readonly readsAssets?: boolean;
  /**
   * Further headers for the upload host; those of the protocol, and how a request is framed, are none of them.
   *
   * @returns headers by their names
   * @default none
   */
  uploadHeaders?(): Promise<Record<string, string>>;
  /**
   * Asked before each request to the upload host.
   *
   * @returns whether it is sent the account's authorization by other means
   * @default false
   */
  authorizesUploads?(): Promise<boolean>;
}

/** Checks that somebody can ask for a location; `purpose` completes "Cannot …". */
export function checkRequester(purpose: string, requester: Requester): void {
  if (typeof requester?.requestUpload === "function" && /^(string|function)$/.test(typeof requester.scope))
    return;
  const expected = "a client or anything with requestUpload() and scope";
  throw refusedOption(purpose, "the requester", requester, expected);
}

export function canReadAssets(
  requester: Requester,
): requester is Requester & Required<Pick<Requester, "getAsset">> {
  return requester.readsAssets === true && typeof requester.getAsset === "function";
}

export async function scopeOf({ scope }: Requester): Promise<string> {
  return typeof scope === "function" ? await scope() : scope;
}

/** The word for the account of a scope in a journal. */
export async function accountOf(scope: string): Promise<string> {
  return (await digest([scope])).slice(0, 16);
}

/** Where a client has its calls: a symbol goes along with `{ ...client, fetch }`, and no caller meets it. */
export const CALLS: unique symbol = Symbol("calls");

/** The calls of a client, which only a client of this module has. */
export function callsOf(
  requester: Requester & { readonly [CALLS]?: AccountCalls },
): AccountCalls | undefined {
  return requester[CALLS];
}

/** The secrets that a requester has sent, as far as it tells: no message may show them. */
export function secretsOf(requester: Requester): string[] {
  return callsOf(requester)?.secrets() ?? [];
}

/** A requester as an upload asks it: its fetch gives nothing but Responses, and its failures are known as its own. */
export interface GuardedRequester extends Requester {
  /** The secrets that were sent, and that any answer may echo. */
  secrets(): string[];
  /** The account's tokens that were sent, and where none was, the current one, as far as it tells. */
  tokens(): Promise<string[]>;
  /** The locations that it has given. */
  readonly locations: ReadonlySet<string>;
  /** True if it rejected with this error: the caller gets it back as it is. */
  isOwnFailure(error: unknown): boolean;
}

/** @param purpose completes "Cannot …" */
export function guardedRequester(purpose: string, requester: Requester): GuardedRequester {
  const { fetch, repeatable } = requester;
  const locations = new Set<string>();
  const failures = new Set<unknown>();
  const marked = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (isObject(error)) failures.add(error);
      throw error;
    }
  };
  return {
    ...(fetch && { fetch: checkedFetch(fetch) }),
    ...(repeatable !== undefined && { repeatable }),
    ...(requester.xhrFor && { xhrFor: (origin) => marked(async () => await requester.xhrFor?.(origin)) }),
    async tokens() {
      if (secretsOf(requester).length === 0) await marked(async () => await callsOf(requester)?.readToken());
      return secretsOf(requester);
    },
    locations,
    isOwnFailure: (error) => failures.has(error),
    // A location that has been used is remembered nowhere else, and may still be echoed.
    secrets: () => [...secretsOf(requester), ...[...locations].flatMap((address) => addressSecrets(address))],
    scope: () => marked(async () => await scopeOf(requester)),
    async requestUpload(request, options) {
      const answer = await marked(async () => await requester.requestUpload(request, options));
      for (const location of isObject(answer) ? [answer.url, answer.tusEndpoint] : [])
        if (typeof location === "string") locations.add(location);
      return answer;
    },
    async uploadHeaders() {
      const given = (await marked(async () => await requester.uploadHeaders?.())) ?? {};
      const problem = headersProblem(given);
      if (problem === undefined) return given;
      throw invalidOption(purpose, `what uploadHeaders() of the requester gave ${problem}`);
    },
    authorizesUploads: () => marked(async () => (await requester.authorizesUploads?.()) === true),
  };
}
