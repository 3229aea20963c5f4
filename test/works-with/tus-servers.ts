/** Tus servers from npm over files or the S3 stand-in, each as its own documentation runs it. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { MiB, videoFolder } from "../faults/lab.ts";
import { openBucket } from "../service/s3/bucket.ts";
import { clientConfigOf, openStandIn } from "../service/s3/stand-in.ts";
import { sha256 } from "../support/content.ts";
import { closeServer, openServer } from "../support/hosts/open-server.ts";

interface TusProgram {
  name: string;
  server: string;
  store: string;
  /** Bytes of its parts, for a store over S3. */
  partSize?: number;
}

const S3_PARTS = [5, 8, 10];

export const TUS_PROGRAMS: readonly TusProgram[] = [
  { name: "tus-node-server 0.9.0, files", server: "tus-node-server", store: "tus-node-server" },
  { name: "@tus/server 1.10.2, @tus/file-store 1.5.1", server: "tus-server-1", store: "tus-file-store-1" },
  { name: "@tus/server 2.4.5, @tus/file-store 2.1.1", server: "tus-server-2", store: "tus-file-store-2" },
  ...S3_PARTS.map((size) => ({
    name: `@tus/server 1.10.2, @tus/s3-store 1.9.1, parts of ${size} MiB`,
    server: "tus-server-1",
    store: "tus-s3-store-1",
    partSize: size * MiB,
  })),
];

interface TusServer {
  datastore: unknown;
  handle(request: IncomingMessage, response: ServerResponse): Promise<unknown>;
}
interface TusPackage {
  Server: new (options: object) => TusServer;
  FileStore: new (options: object) => object;
  S3Store: new (options: object) => object;
}

/** Each server takes one upload. */
const NAME = "video";

const require = createRequire(new URL("tus-servers/package.json", import.meta.url));

/** Starts one on a free port, over a folder of its own. */
export async function startTusServer({ server: serverPackage, store, partSize }: TusProgram) {
  // Which versions of Node the clients of S3 will need is not what a test prints.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
  process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = "1";
  const { Server } = (await import(require.resolve(serverPackage))) as TusPackage;
  const { FileStore, S3Store } = (await import(require.resolve(store))) as TusPackage;
  const folder = await videoFolder();
  const bucket = await openBucket(join(folder.path, "s3"));
  const standIn = await openStandIn({ bucket, latency: () => 0, cuts: () => false });
  const s3ClientConfig = clientConfigOf(standIn);
  const datastore =
    partSize === undefined
      ? // The oldest one would write into the home folder.
        new FileStore({ directory: folder.path, configstore: new Map() })
      : new S3Store({ partSize, s3ClientConfig });
  const tus = new Server({ path: "/files", datastore, namingFunction: () => NAME });
  // The oldest one takes its store so.
  tus.datastore ??= datastore;
  const http = createServer((request, response) => void tus.handle(request, response));
  const url = `http://127.0.0.1:${await openServer(http)}`;
  return {
    url,
    /** The sha256 of what it has stored. */
    async stored(): Promise<string | undefined> {
      const path = partSize === undefined ? join(folder.path, NAME) : (await bucket.get(NAME))?.path;
      return path === undefined ? undefined : sha256(await readFile(path));
    },
    async close() {
      await closeServer(http);
      await standIn.close();
      await folder.remove();
    },
  };
}
