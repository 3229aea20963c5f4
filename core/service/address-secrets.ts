/** The secrets of an address: a location's token stands in its query or its path, and an answer may repeat any of it. */
import { isUuid } from "../redaction/redaction.ts";

/** Least characters of a part that is looked for by itself: shorter ones are mostly plain words. */
const SHORTEST_VALUE = 8;
const SHORTEST_WORD = 16;

/** @param id of its asset, which services put into addresses: by itself it opens nothing, unless it is a whole part */
export function addressSecrets(address: string, id = ""): string[] {
  return partsOf(address).map((part) => (part !== id && isUuid(id) ? part.replaceAll(id, "/") : part));
}

function partsOf(address: string): string[] {
  if (!URL.canParse(address)) return [address];
  const { pathname, search, searchParams } = new URL(address);
  const segments = pathname.split("/");
  const words = [...segments, ...searchParams.keys()];
  const values = [segments.at(-1) ?? "", ...searchParams.values()];
  const known = [address, pathname + search, pathname, search, search.slice(1), ...values];
  return [
    ...known.filter(({ length }) => length >= SHORTEST_VALUE),
    ...words.filter(({ length }) => length >= SHORTEST_WORD),
  ];
}
