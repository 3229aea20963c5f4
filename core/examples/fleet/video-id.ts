/**
 * The id of a video of a list: its address without its signature, since a list that is signed again names the same videos.
 */
import { createHash } from "node:crypto";

/** Names in small letters: S3, Google, Aliyun, CloudFront, tokens of CDNs. The rest of a query may name the video. */
const SIGNATURE =
  /^(x-(amz|goog|oss)-.*|signature|sig|expires|policy|key-pair-id|(aws|oss)accesskeyid|googleaccessid|security-token|token|access_token|hdnea|hdnts)$/;
/** Azure's names are so short that they count beside a `sig` alone. */
const AZURE = /^(s[eiprstv]|srt|spr|sip|sdd|ses|sk(oid|tid|t|e|s|v)|saoid|suoid|scid)$/;

/** A digest of an address: the same for the same video, however it is signed. */
export function idOf(address: string): string {
  return createHash("sha256").update(unsigned(address)).digest("hex").slice(0, 32);
}

function unsigned(address: string): string {
  if (!URL.canParse(address)) return address;
  const { search } = new URL(address);
  const pairs = search.slice(1).split("&");
  const isAzure = pairs.some((pair) => nameOf(pair) === "sig");
  const kept = pairs.filter((pair) => {
    const name = nameOf(pair);
    return !SIGNATURE.test(name) && !(isAzure && AZURE.test(name));
  });
  // Without a signature it stays as it is written, as in notes of earlier versions.
  if (kept.length === pairs.length) return address;
  const [place = ""] = address.split("?", 1);
  return kept.length === 0 ? place : `${place}?${kept.join("&")}`;
}

function nameOf(pair: string): string {
  const [[name = ""] = []] = new URLSearchParams(pair);
  return name.toLowerCase();
}
