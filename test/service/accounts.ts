/** Who may call, and the one-time tokens of upload locations. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export interface Account {
  name: string;
  token: string;
  /** Becomes `asset.createdByTokenName`. */
  tokenName?: string;
}

export const demoAccount: Account = { name: "demo", token: "demo-token", tokenName: "Demo token" };

/**
 * Reads `name:token,name2:token2`.
 * @throws {Error} when a part has no token
 */
export function parseAccounts(text: string): Account[] {
  return text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => {
      const [name, token] = part.split(":");
      if (!name || !token) throw new Error("Cannot read accounts: expected name:token,name:token");
      return { name, token };
    });
}

/** An id that stays the same for an account over restarts. */
export function accountId(account: Account, kind: "user" | "project"): string {
  const hex = createHash("sha256").update(`${kind}:${account.name}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function readBearer(authorization: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];
}

/**
 * A JWT without expiry that holds a pre-signed storage location in readable form, as real ones do. The mark is
 * readable in it, so that a test can search for leaks.
 */
export function signUploadToken(secret: string, assetId: string, mark: string): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signature = createHmac("sha256", secret).update(assetId).digest("hex");
  const presignedUrl = `http://store.invalid/directUpload/${assetId}?X-Amz-Expires=43200&X-Amz-Signature=${signature}`;
  const claims = { assetId, presignedUrl, aud: "upload", iat: Math.floor(Date.now() / 1000) };
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  const signature64 = createHmac("sha256", secret).update(content).digest("base64url");
  return `${content}.${signature64}${mark === "" ? "" : `~${mark}`}`;
}

/** The asset an upload token is for; undefined when the token is not one of this service. */
export function readUploadToken(secret: string, token: string): string | undefined {
  const [header, claims, signature] = token.replace(/~.*$/, "").split(".");
  if (!header || !claims || !signature) return undefined;
  const expected = createHmac("sha256", secret).update(`${header}.${claims}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { assetId: string }).assetId;
}
