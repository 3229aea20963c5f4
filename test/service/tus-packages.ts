/** The tus servers and S3 stores that real services run, from the packages of `test/runtimes`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Server } from "@tus/server";
import { tusPath } from "./upload-store.ts";

/** What both majors of the store are made with. */
export interface S3StoreOptions {
  partSize: number;
  s3ClientConfig: Record<string, unknown>;
}

interface S3Store {
  client: {
    destroy(): void;
    middlewareStack: { add(middleware: (next: Call) => Call, options: { step: "initialize" }): void };
  };
}

type Call = (call: unknown) => Promise<unknown>;

/** What the service is told of a finished upload. */
export interface FinishedUpload {
  id: string;
  size?: number | undefined;
}

export interface TusServer {
  handle(request: IncomingMessage, response: ServerResponse): Promise<unknown>;
  close(): void;
}

export interface TusServerOptions extends S3StoreOptions {
  /** In the header `x-upload-key` of each request. */
  onUploadFinish(upload: FinishedUpload): Promise<void>;
  /** Is told what each failed call to S3 rejects with. */
  onStoreFailure(error: unknown): void;
}

export const KEY_HEADER = "x-upload-key";

const require = createRequire(new URL("../runtimes/package.json", import.meta.url));

/**
 * @returns what makes a server with its store
 * @throws {Error} when the packages aren't installed
 */
export async function loadTusServer(
  name: "tus-s3-1" | "tus-s3-2",
): Promise<(options: TusServerOptions) => TusServer> {
  // Which versions of Node the client will need next year is not what a test prints.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
  try {
    return name === "tus-s3-1" ? loadFirst() : await loadSecond();
  } catch (cause) {
    throw new Error(`Cannot load store "${name}": run npm --prefix test/runtimes ci`, { cause });
  }
}

function loadFirst(): (options: TusServerOptions) => TusServer {
  const { Server: FirstServer } = require("@tus/server") as {
    Server: new (options: object) => Pick<TusServer, "handle">;
  };
  const { S3Store } = require("@tus/s3-store") as { S3Store: new (options: S3StoreOptions) => S3Store };
  return ({ onUploadFinish, onStoreFailure, ...options }) => {
    const datastore = new S3Store(options);
    watch(datastore, onStoreFailure);
    const server = new FirstServer({
      path: tusPath,
      datastore,
      namingFunction: (request: IncomingMessage) => request.headers[KEY_HEADER],
      async onUploadFinish(_: IncomingMessage, response: ServerResponse, upload: FinishedUpload) {
        await onUploadFinish(upload);
        return response;
      },
    });
    return {
      handle: (request, response) => server.handle(request, response),
      close: () => datastore.client.destroy(),
    };
  };
}

async function loadSecond(): Promise<(options: TusServerOptions) => TusServer> {
  const { href } = pathToFileURL(require.resolve("tus-s3-store-2"));
  const { S3Store } = (await import(href)) as {
    S3Store: new (options: S3StoreOptions) => S3Store & ConstructorParameters<typeof Server>[0]["datastore"];
  };
  return ({ onUploadFinish, onStoreFailure, ...options }) => {
    const datastore = new S3Store(options);
    watch(datastore, onStoreFailure);
    const server = new Server({
      path: tusPath,
      datastore,
      namingFunction: (request) => request.headers.get(KEY_HEADER) ?? "",
      generateUrl: (_, { proto, host, path, id }) => `${proto}://${host}${path}/${encodeURIComponent(id)}`,
      // Without it an id that holds a slash is refused.
      getFileIdFromRequest: (_, id) => id,
      async onUploadFinish(_, upload) {
        await onUploadFinish(upload);
        return {};
      },
    });
    return {
      handle: (request, response) => server.handle(request, response),
      close: () => datastore.client.destroy(),
    };
  };
}

function watch({ client }: S3Store, onFailure: (error: unknown) => void): void {
  const middleware = (next: Call) => async (call: unknown) => {
    try {
      return await next(call);
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
  client.middlewareStack.add(middleware, { step: "initialize" });
}
