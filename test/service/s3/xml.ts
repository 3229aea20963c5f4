/** The few XML documents that are exchanged with a client of S3. */
import type { Part } from "./bucket.ts";

type Content = string | number | boolean | Content[] | { [name: string]: Content };

/** A document; a list repeats its element. */
export function writeXml(root: string, content: Content): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, content)}`;
}

function element(name: string, content: Content): string {
  if (Array.isArray(content)) return content.map((each) => element(name, each)).join("");
  const inner =
    typeof content === "object"
      ? Object.entries(content)
          .map(([each, inside]) => element(each, inside))
          .join("")
      : escapeXml(String(content));
  return `<${name}>${inner}</${name}>`;
}

/** The parts that a CompleteMultipartUpload lists. */
export function readWantedParts(xml: string): Pick<Part, "number" | "etag">[] {
  return readAll(xml, "Part").map((part) => ({
    number: Number(readAll(part, "PartNumber")[0]),
    etag: (readAll(part, "ETag")[0] ?? "").replaceAll("&quot;", "").replaceAll('"', ""),
  }));
}

export function readKeys(xml: string): string[] {
  return readAll(xml, "Key");
}

function readAll(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, inner = ""]) => inner);
}

export function escapeXml(text: string): string {
  const names: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };
  return text.replace(/[<>&"]/g, (character) => names[character] ?? "");
}
