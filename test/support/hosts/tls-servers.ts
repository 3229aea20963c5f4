/**
 * Servers with a certificate, in a Node process of their own: two that answer, one of them known to nobody, and two
 * whose answers break the secure connection after the whole request has arrived. Prints their addresses and how many
 * requests have come.
 */
import { writeFile } from "node:fs/promises";
import { createServer, type ServerOptions } from "node:https";
import { connect, createServer as createTcpServer } from "node:net";
import { makeCertificates } from "./certificate.ts";
import { openServer } from "./open-server.ts";

const [authorityFile = ""] = process.argv.slice(2);
const { authority, server } = makeCertificates();
const stranger = makeCertificates().server;
await writeFile(authorityFile, authority.certificate);

function answering({ certificate, key }: typeof server): Promise<number> {
  const pem = key.export({ type: "pkcs8", format: "pem" });
  return openServer(
    createServer({ cert: certificate, key: pem }, (_, response) => response.writeHead(204).end()),
  );
}

/** Reads the whole request, then answers beside the secure connection. */
async function breaking(answer: Buffer, options: ServerOptions): Promise<number> {
  let whenRead: (() => void) | undefined;
  const key = server.key.export({ type: "pkcs8", format: "pem" });
  const behind = createServer({ ...options, cert: server.certificate, key }, (request) => {
    request.resume().once("end", () => whenRead?.());
  });
  const port = await openServer(behind);
  return await openServer(
    createTcpServer((socket) => {
      const inner = connect(port, "127.0.0.1");
      for (const each of [socket, inner]) each.on("error", () => {});
      socket.pipe(inner).pipe(socket);
      whenRead = () => {
        console.log("read a request");
        inner.unpipe(socket);
        socket.end(answer);
      };
    }),
  );
}

const plain = Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n");
// A record of TLS that says "handshake failure".
const alert = Buffer.from([21, 3, 3, 0, 2, 2, 40]);
const ports = {
  known: await answering(server),
  unknown: await answering(stranger),
  plain: await breaking(plain, { minVersion: "TLSv1.3" }),
  alert: await breaking(alert, { maxVersion: "TLSv1.2" }),
};
console.log(JSON.stringify(ports));
