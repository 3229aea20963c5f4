/** A service and its upload host in one, honest but for the answers that a test takes from it. */
import type { Socket } from "node:net";
import { createClient } from "../../../core/client.ts";
import type { ClientOptions, UploadOptions } from "../../../core/mod.ts";
import { MARKER } from "../marker.ts";
import { type RawAnswer, type RawRequest, rawAnswer, startRawServer } from "./raw-server.ts";

export type Call = "request-upload" | "terminate" | "POST" | "HEAD" | "PATCH" | "PUT" | "DELETE";

export type HostileHost = Awaited<ReturnType<typeof startHostileHost>>;

export const FEW_TRIES = { attempts: 1, minDelay: 1, maxDelay: 5 };

/** Small waits and few attempts, so that a test sees the end of them. */
export const IMPATIENT: UploadOptions = {
  retry: FEW_TRIES,
  timeout: { answer: 300, stall: 300, settle: 1 },
};

/** The same for a host that answers, however busy the machine is. */
export const PATIENT: UploadOptions = { ...IMPATIENT, timeout: { settle: 1 } };

export const TOKEN = `${MARKER}-Account.Token_0123456789`;

function callOf({ method, path }: RawRequest): Call {
  if (path === "/api/asset/request-upload") return "request-upload";
  return path.startsWith("/stream/") ? "terminate" : (method as Call);
}

/** Starts a host; what `answers` has is answered so, all else as it should be. */
export async function startHostileHost(
  answers: Partial<Record<Call, RawAnswer>> = {},
  locations: { url?: string; tusEndpoint?: string; uploadUrl?: string } = {},
) {
  const server = await startRawServer((request, socket) => {
    const call = callOf(request);
    const answer = answers[call];
    if (answer !== undefined) return answer(request, socket);
    if (call !== "request-upload") return void socket.write(honest(call, request));
    // A runtime would keep it for a while: what is open belongs to the upload.
    socket.end(honest(call, request));
  });
  function honest(call: Call, request: RawRequest): string {
    const own = { "content-length": 0, "tus-resumable": "1.0.0" };
    if (call === "request-upload") {
      const url = locations.url ?? `${server.origin}/direct?token=${MARKER}-location`;
      const tusEndpoint = locations.tusEndpoint ?? `${server.origin}/tus?token=${MARKER}-location`;
      const text = JSON.stringify({ url, tusEndpoint, asset: { id: "asset-1" }, task: { id: "task-1" } });
      const type = { "content-type": "application/json", connection: "close" };
      return rawAnswer(200, { ...type, "content-length": text.length }, text);
    }
    if (call === "POST")
      return rawAnswer(201, { ...own, location: locations.uploadUrl ?? `/tus/${MARKER}-upload` });
    if (call === "HEAD") return rawAnswer(200, { ...own, "upload-offset": host.stored });
    if (call === "PATCH") {
      host.stored = Number(request.headers["upload-offset"]) + request.size;
      return rawAnswer(204, { "tus-resumable": "1.0.0", "upload-offset": host.stored });
    }
    return rawAnswer(call === "PUT" ? 200 : 204, call === "PUT" ? { "content-length": 0 } : {});
  }
  const host = {
    origin: server.origin,
    requests: server.requests,
    get open() {
      return server.open;
    },
    /** What it has of the upload. */
    stored: 0,
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: server.origin, token: TOKEN, ...options }),
    countOf: (call: Call) => server.requests.filter((request) => callOf(request) === call).length,
  };
  return host;
}

/** Answers with headers and the beginning of a body, and says no more. */
export function silentAfter(
  status: number,
  body = "",
  headers: Record<string, string | number> = {},
): RawAnswer {
  return (_, socket) => void socket.write(rawAnswer(status, { ...headers, "content-length": 1000 }, body));
}

export function endless(
  status: number,
  piece: string,
  headers: Record<string, string | number> = {},
  count: { written: number } = { written: 0 },
): RawAnswer {
  return (_, socket) => {
    socket.write(rawAnswer(status, { connection: "close", ...headers }));
    const bytes = Buffer.alloc(64 * 1024, piece);
    const write = () => {
      while (!socket.destroyed) {
        count.written += bytes.length;
        if (!socket.write(bytes)) return;
      }
    };
    socket.on("drain", write);
    write();
  };
}

/** Answers with a byte now and then. */
export function dripping(status: number, headers: Record<string, string | number> = {}): RawAnswer {
  return (_, socket: Socket) => {
    socket.write(rawAnswer(status, headers));
    const timer = setInterval(() => socket.write(" "), 20);
    socket.once("close", () => clearInterval(timer));
  };
}
