import { expect, test } from "vitest";
import { readNetworkError } from "../../core/http/network-error.ts";

const coded = (code: string, message = "") => Object.assign(new Error(message), { code });
const failed = (cause: Error) => new TypeError("fetch failed", { cause });

test.each<[string, Error, boolean | undefined]>([
  ["of a client that gives it for a broken connection too", coded("ERR_SSL_WRONG_VERSION_NUMBER"), undefined],
  ["further down than connecting", failed(new Error("broken", { cause: coded("ERR_SSL_X") })), undefined],
  ["in Bun, after the body was asked for", coded("EPROTO"), true],
  ["in Bun, where nobody knows of the body", coded("EPROTO"), undefined],
  ["of a server that wants a certificate", coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"), undefined],
  ["in Deno, after connecting", failed(new Error("received fatal alert: CertificateRequired")), undefined],
  ["in Deno, of a broken answer", failed(new Error("received corrupt message of type X")), undefined],
])("readNetworkError() doesn't take an error %s for a request that never left", (_, error, asked) => {
  expect(readNetworkError(error, asked)).toMatchObject({ neverLeft: false, noTls: true });
});

test("readNetworkError() tells what a certificate failed by, and not the scheme", () => {
  const reason = readNetworkError(failed(coded("DEPTH_ZERO_SELF_SIGNED_CERT")));
  expect(reason).toEqual({
    neverLeft: true,
    noTls: false,
    noHttp: false,
    words: " (DEPTH_ZERO_SELF_SIGNED_CERT)",
  });
});

test("readNetworkError() names the codes of newer Nodes, which hold a slash", () => {
  const { words } = readNetworkError(failed(coded("ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE")));
  expect(words).toBe(" (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE)");
});
