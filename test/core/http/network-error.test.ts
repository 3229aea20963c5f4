import { expect, test } from "vitest";
import { readNetworkError } from "../../../core/http/network-error.ts";

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

test.each([
  ["its certificate isn't accepted", coded("DEPTH_ZERO_SELF_SIGNED_CERT")],
  ["its certificate isn't accepted", new Error("client error (Connect): invalid peer certificate: X")],
  ["its name is unknown here", coded("ENOTFOUND", "getaddrinfo ENOTFOUND certs.invalid")],
  ["it refuses the connection", coded("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9")],
  ["no request may go to its port", new Error("bad port")],
  ["this program may not connect to it", Object.assign(new Error("Requires"), { name: "NotCapable" })],
  ["this program may not connect to it", coded("ERR_ACCESS_DENIED", "Access has been restricted")],
  ["it doesn't answer", coded("UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error")],
])("readNetworkError() tells that %s, and nothing of the scheme", (why, error) => {
  const reason = readNetworkError(failed(error));
  expect(reason).toMatchObject({ neverLeft: true, noTls: false, noHttp: false, cause: { why } });
  expect(reason.words).toBe("code" in error ? ` (${error.code})` : "");
});

test("readNetworkError() names the codes of newer Nodes, which hold a slash", () => {
  const { words } = readNetworkError(failed(coded("ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE")));
  expect(words).toBe(" (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE)");
});
