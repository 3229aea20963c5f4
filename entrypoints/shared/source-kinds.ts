/** The kinds of sources, and how they differ: one object for each, and no other module asks which one it has. Pure. */
import { sha256 } from "../../core/extension.ts";
import type { ErrorCode, UploadOptions, UrlOptions } from "../../core/mod.ts";
import type { FileDetails, JobSource, StoredSource } from "./job.ts";
import type { PlainKey } from "./translate.ts";

export interface SourceKind {
  /** The stored fields beside the details of its file; a stored source has nothing else. */
  fields: readonly (keyof StoredSource)[];
  /** True if it is read at an address: again at any time, with a permission for its host, and without the person. */
  isAtAddress: boolean;
  /** True if a manifest is at that address, and the video is the pieces that it names. */
  isInPieces: boolean;
  /** True if a page has sent it, perhaps unasked. */
  isSentByPage: boolean;
  /** The next step where its bytes are out of reach. */
  regain: "choose-file" | "open-page";
  /** The name of that state. */
  lostKey: PlainKey;
  /** Messages for errors that mean something else here than of a file. */
  errorKeys: Partial<Record<ErrorCode, PlainKey>>;
  /** How core opens it. */
  options(source: StoredSource): Pick<UploadOptions, "type">;
  /** How its server is asked, where its bytes are at an address. */
  urlOptions(source: Optional<Pick<StoredSource, "open">>): UrlOptions;
  /** Digests by which it is recognised when it is given again; none where nothing of it stays the same. */
  digests(source: StoredSource): Promise<string[]>;
}

type Optional<Type> = { [Field in keyof Type]?: Type[Field] | undefined };

/** A video of a page, wherever its bytes are. */
const ofPage = {
  isInPieces: false,
  isSentByPage: false,
  regain: "open-page",
  lostKey: "state.needsPage",
  options: () => ({}),
  urlOptions: () => ({}),
} as const;

const atAddress: SourceKind = {
  ...ofPage,
  fields: ["host", "hasPage", "page", "url", "open"],
  isAtAddress: true,
  errorKeys: {
    "empty-source": "error.linkEmpty",
    "not-a-video": "error.linkNotAVideo",
    "source-changed": "error.linkChanged",
    "source-unreadable": "error.linkUnreadable",
    "source-ended-early": "error.linkShort",
    "source-too-long": "error.linkLong",
  },
  options: ({ type }) => (type === "" ? {} : { type }),
  // With the cookies of its site, as the page itself reads it; servers that let everybody read refuse them.
  urlOptions: ({ open }) => ({ credentials: open ? "omit" : "include" }),
  digests: async ({ url: address, size }) =>
    address === undefined ? [] : await addressDigests({ address, size }),
};

const KINDS: Record<JobSource["kind"] | "pieces", SourceKind> = {
  file: {
    fields: ["handle"],
    isAtAddress: false,
    isInPieces: false,
    isSentByPage: false,
    regain: "choose-file",
    lostKey: "state.needsFile",
    errorKeys: {},
    options: () => ({}),
    urlOptions: () => ({}),
    digests: async (source) => [await fileDigest(source)],
  },
  url: atAddress,
  pieces: {
    ...atAddress,
    isInPieces: true,
    fields: [
      ...atAddress.fields,
      ...(["estimated", "pieces", "referrer", "quality", "languages", "subtitles"] as const),
      ...(["lacking", "playedSeconds"] as const),
    ],
    // One file is made of them, which is read in a way of its own and no longer of their type.
    options: ofPage.options,
    urlOptions: ofPage.urlOptions,
  },
  "page-blob": {
    ...ofPage,
    fields: ["host", "hasPage", "page"],
    isAtAddress: false,
    isSentByPage: true,
    errorKeys: { "source-changed": "error.pageGone", "source-unreadable": "error.pageGone" },
    digests: async () => [],
  },
};

export function sourceKind({ kind, pieces }: Optional<JobSource> & Pick<JobSource, "kind">): SourceKind {
  return KINDS[kind === "url" && pieces !== undefined ? "pieces" : kind];
}

/** True for a source whose address is that of a manifest. */
export function isInPieces<Source extends StoredSource>(source: Source): source is Source & { url: string } {
  return sourceKind(source).isInPieces && source.url !== undefined;
}

const DETAILS: readonly (keyof StoredSource)[] = ["kind", "name", "size", "type", "lastModified"];

/** Keeps what is known of a source, and of that the fields of its kind. */
export function ownSource(source: Optional<StoredSource> & Pick<JobSource, "kind">): StoredSource {
  const own = [...DETAILS, ...sourceKind(source).fields];
  const known = own.flatMap((field) => (source[field] === undefined ? [] : [[field, source[field]]]));
  return Object.fromEntries(known) as unknown as StoredSource;
}

/** Finds what is known of the first of these digests that anything is known of. */
export function findKnown<Value>(digests: string[], known: ReadonlyMap<string, Value>): Value | undefined {
  const digest = digests.find((each) => known.has(each));
  return digest === undefined ? undefined : known.get(digest);
}

export async function fileDigest({ name, size, lastModified }: FileDetails): Promise<string> {
  return await digestOf(["file", name, size, lastModified]);
}

/**
 * Of an address, the whole one first. Signatures in a query change with each visit of its page, and some sites tell
 * their videos apart by the query alone: without it, an address counts only together with a size.
 */
export async function addressDigests({
  address,
  size,
}: {
  address: string;
  size?: number | undefined;
}): Promise<string[]> {
  const { origin, pathname, search } = new URL(address);
  const whole = digestOf(["address", origin + pathname + search]);
  if (size === undefined) return [await whole];
  return await Promise.all([whole, digestOf(["path", origin + pathname, size])]);
}

export async function digestOf(parts: unknown[]): Promise<string> {
  return await sha256(new TextEncoder().encode(JSON.stringify(parts)));
}
