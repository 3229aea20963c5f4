/** Certificates for servers of tests, new each time: no key lies in the repository, and none expires. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface Certificate {
  certificate: string;
  key: KeyObject;
}

export function makeCertificates(): { authority: Certificate; server: Certificate } {
  const authority = newKey();
  const server = newKey();
  const name = "Test authority";
  return {
    authority: issue({ subject: name, key: authority, issuer: name, by: authority, isAuthority: true }),
    server: issue({ subject: "127.0.0.1", key: server, issuer: name, by: authority, isAuthority: false }),
  };
}

interface Issue {
  subject: string;
  key: KeyObject;
  issuer: string;
  by: KeyObject;
  isAuthority: boolean;
}

// The structure of RFC 5280, as DER.
function issue({ subject, key, issuer, by, isAuthority }: Issue): Certificate {
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const extension = (id: string, critical: boolean, value: Buffer) =>
    sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
  const isFor = extension(
    "551d13",
    true,
    isAuthority ? sequence(der(0x01, Buffer.from([0xff]))) : sequence(),
  );
  const addresses = extension("551d11", false, sequence(der(0x87, Buffer.from([127, 0, 0, 1]))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([isAuthority ? 1 : 2])),
    algorithm,
    nameOf(issuer),
    sequence(time(-86_400_000), time(86_400_000)),
    nameOf(subject),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(0xa3, sequence(isFor, ...(isAuthority ? [] : [addresses]))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", content, by)]);
  const whole = sequence(content, algorithm, der(0x03, signature)).toString("base64");
  const lines = whole.match(/.{1,64}/g) ?? [];
  return {
    certificate: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key,
  };
}

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName)))));
}

function time(fromNow: number): Buffer {
  const text = new Date(Date.now() + fromNow)
    .toISOString()
    .replace(/[-:T]|\.\d+/g, "")
    .slice(2);
  return der(0x17, Buffer.from(text));
}
