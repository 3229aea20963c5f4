/** Which parameters of an address sign it, and so say nothing of what is there. The others may name the video. */

/** Names in small letters: signatures of S3 (versions 2 and 4), Google, Aliyun and CloudFront, and tokens of CDNs. */
const SIGNATURE_PARAMETERS: ReadonlySet<string> = new Set([
  "signature",
  "sig",
  "expires",
  "policy",
  "key-pair-id",
  "awsaccesskeyid",
  "googleaccessid",
  "ossaccesskeyid",
  "security-token",
  "token",
  "access_token",
  "hdnea",
  "hdnts",
]);
const SIGNATURE_PREFIX = /^x-(amz|goog|oss)-/;
/** Shared access signatures of Azure: names so short that they count beside a `sig` alone. */
const AZURE_PARAMETERS = /^(s[eiprstv]|srt|spr|sip|sdd|ses|sk(oid|tid|t|e|s|v)|saoid|suoid|scid)$/;

/** The query of an address without what signs it, as it stands there: for a digest alone, since it may hold secrets all the same. */
export function unsignedQuery({ search }: URL): string {
  const pairs = search.slice(1).split("&");
  const isAzure = pairs.some((pair) => nameOf(pair) === "sig");
  return pairs.filter((pair) => pair !== "" && !isSignature(nameOf(pair), isAzure)).join("&");
}

function isSignature(name: string, isAzure: boolean): boolean {
  if (SIGNATURE_PARAMETERS.has(name) || SIGNATURE_PREFIX.test(name)) return true;
  return isAzure && AZURE_PARAMETERS.test(name);
}

function nameOf(pair: string): string {
  const [[name = ""] = []] = new URLSearchParams(pair);
  return name.toLowerCase();
}
