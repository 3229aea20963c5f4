/** The calls of S3 that the stand-in carries out, by the names that S3 gives them. */

export const CALL_NAMES = [
  "CreateMultipartUpload",
  "UploadPart",
  "ListParts",
  "CompleteMultipartUpload",
  "AbortMultipartUpload",
  "PutObject",
  "GetObject",
  "HeadObject",
  "DeleteObject",
  "DeleteObjects",
] as const;
export type CallName = (typeof CALL_NAMES)[number];

/** Calls that may be cut off: those of a name, or those that store the first part. */
export const CUT_NAMES = [...CALL_NAMES, "UploadPart 1"] as const;
export type CutName = (typeof CUT_NAMES)[number];

/** What a request asks for; undefined when that isn't among what is here. */
export function nameOf(method: string, key: string, query: URLSearchParams): CallName | undefined {
  if (key === "") return method === "POST" && query.has("delete") ? "DeleteObjects" : undefined;
  if (query.has("uploads")) return method === "POST" ? "CreateMultipartUpload" : undefined;
  const ofUpload: Record<string, CallName> = {
    PUT: "UploadPart",
    GET: "ListParts",
    POST: "CompleteMultipartUpload",
    DELETE: "AbortMultipartUpload",
  };
  const ofObject: Record<string, CallName> = {
    PUT: "PutObject",
    GET: "GetObject",
    HEAD: "HeadObject",
    DELETE: "DeleteObject",
  };
  return (query.has("uploadId") ? ofUpload : ofObject)[method];
}
