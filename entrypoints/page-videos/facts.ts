/** What only a video's server knows: its size, and its poster as a small picture. Asked for few at a time. */

import type { Access } from "../reach/host-permissions.ts";
import { createTurns } from "../shared/turns.ts";
import { originOf } from "../shared/web-address.ts";
import { PICTURE_WIDTH, pictureAddress, pictureHeight } from "./frame-picture.ts";
import { pictureSize } from "./picture-size.ts";

const MAX_REQUESTS = 4;
/** Milliseconds until a server that doesn't answer is left alone. */
const REQUEST_TIMEOUT = 6000;
const MAX_PICTURE = 8 * 2 ** 20;
/** Pixels of a poster: each takes four bytes while it is made small. */
const MAX_PIXELS = 25_000_000;

export interface ServerFacts {
  size?: number;
  type?: string;
  /** True if it gave the video to us as to anybody. */
  open: boolean;
  /** True if it answered, and didn't give it. */
  refused: boolean;
}

export interface FactReader {
  /** What the server says of a video; `undefined` where it may not be asked. */
  video(address: string): Promise<ServerFacts | undefined>;
  /** A picture as a small data: address; `undefined` where it may not be read. */
  picture(address: string): Promise<string | undefined>;
}

export function readFacts(access: Access): FactReader {
  const inTurn = createTurns(MAX_REQUESTS);
  /** Origins that kept us out once: asking for each of their files would be of no use. */
  const shut = new Set<string>();
  /** One picture after the other is decoded: each takes a lot of memory. */
  const decodeInTurn = createTurns(1);

  /** As the page where we may, and as anybody where the server lets everybody in. */
  async function request(address: string, init: RequestInit): Promise<Response | undefined> {
    const url = new URL(address);
    if (shut.has(url.origin)) return undefined;
    const credentials = await access(url.origin);
    if (credentials === undefined) return undefined;
    try {
      return await fetch(url, { ...init, credentials, signal: AbortSignal.timeout(REQUEST_TIMEOUT) });
    } catch {
      if (credentials === "omit") shut.add(url.origin);
      return undefined;
    }
  }

  async function video(address: string): Promise<ServerFacts | undefined> {
    const head = await request(address, { method: "HEAD" });
    if (head === undefined) return undefined;
    const open = (await access(originOf(address))) === "omit";
    const length = Number(head.headers.get("content-length") ?? Number.NaN);
    if (head.ok && length > 0) return { size: length, ...typeOf(head), open, refused: false };
    // Signed addresses are for one method alone, and some servers tell no length in a HEAD.
    const first = await request(address, { headers: { range: "bytes=0-0" } });
    void first?.body?.cancel();
    if (first === undefined) return undefined;
    const total = /\/(\d+)$/.exec(first.headers.get("content-range") ?? "")?.[1];
    const size = Number(total ?? (first.status === 200 ? first.headers.get("content-length") : Number.NaN));
    return { ...(size > 0 && { size }), ...typeOf(first), open: open && first.ok, refused: !first.ok };
  }

  async function picture(address: string): Promise<string | undefined> {
    const response = await request(address, {});
    if (!response?.ok) return undefined;
    try {
      const bytes = await limitedBytes(response);
      if (!isDecodable(bytes)) return undefined;
      return await decodeInTurn(() => smallPicture(new Blob([bytes])));
    } catch {
      // No picture that the browser knows, or a far too large one.
      return undefined;
    }
  }

  return {
    video: (address) => inTurn(() => video(address)),
    picture: (address) => inTurn(() => picture(address)),
  };
}

/** A body of a size that a picture may have; what is beyond is not waited for. */
async function limitedBytes({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_PICTURE) throw new Error("the picture is too large");
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** True if a picture may be decoded: how many pixels it has is known before. */
export function isDecodable(bytes: Uint8Array): boolean {
  const { width, height } = pictureSize(bytes) ?? { width: 0, height: 0 };
  return width > 0 && height > 0 && width * height <= MAX_PIXELS;
}

async function smallPicture(blob: Blob): Promise<string> {
  const whole = await createImageBitmap(blob);
  const height = pictureHeight(whole.width, whole.height);
  const size = { resizeWidth: PICTURE_WIDTH, resizeHeight: height, resizeQuality: "medium" } as const;
  const bitmap = await createImageBitmap(whole, size);
  const canvas = new OffscreenCanvas(PICTURE_WIDTH, height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  for (const each of [whole, bitmap]) each.close();
  return await pictureAddress(canvas);
}

function typeOf({ headers }: Response): { type?: string } {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.startsWith("video/") ? { type: type.trim() } : {};
}
