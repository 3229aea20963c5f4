/** The routes of the upload host. */
import { readBearer } from "./accounts.ts";
import { corsHeaders } from "./cors.ts";
import { createDirect, type DirectOptions, directPath } from "./direct.ts";
import { answer, answerErrors, type Exchange } from "./exchange.ts";
import { escapeXml } from "./s3/xml.ts";
import { createTus, type TusOptions } from "./tus.ts";
import { tusPath } from "./upload-store.ts";

export interface UploadHostOptions extends TusOptions, DirectOptions {
  isToken(token: string): boolean;
}

export function createUploadHost(options: UploadHostOptions): (exchange: Exchange) => Promise<void> {
  const tus = createTus(options);
  const direct = createDirect(options);

  /** False when the request was refused for its Authorization header, or for the lack of one. */
  function authorize({ incoming, outgoing, path }: Exchange): boolean {
    const { authorization } = incoming.headers;
    const cors = corsHeaders("upload", incoming);
    const required = options.switches.uploadAuthorization === "required";
    if (authorization === undefined && !required) return true;
    if (path === directPath && !required) {
      // What a store says to a pre-signed request with a second credential: it repeats the credential.
      const xml =
        "<Error><Code>InvalidArgument</Code><Message>Only one auth mechanism allowed</Message>" +
        `<ArgumentName>Authorization</ArgumentName><ArgumentValue>${escapeXml(authorization ?? "")}</ArgumentValue></Error>`;
      answer(outgoing, 400, { ...cors, "content-type": "application/xml" }, xml);
      return false;
    }
    const token = readBearer(authorization);
    if (token !== undefined && options.isToken(token)) return true;
    const error = token ? `no token ${token} found` : "no authorization header";
    answerErrors(outgoing, 401, cors, [error], options.switches.nestedErrors);
    return false;
  }

  return async (exchange) => {
    const { incoming, outgoing, path } = exchange;
    const cors = corsHeaders("upload", incoming);
    // No Tus-Version or Tus-Extension here: there is nothing to discover.
    if (incoming.method === "OPTIONS") return answer(outgoing, 204, cors);
    if (path === directPath) return authorize(exchange) ? direct(exchange) : undefined;
    if (path === tusPath || path.startsWith(`${tusPath}/`))
      return authorize(exchange) ? tus(exchange) : undefined;
    answer(outgoing, 404, { ...cors, "content-type": "text/html" }, "<h1>404 Not Found</h1>\n");
  };
}
