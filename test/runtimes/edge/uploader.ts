/** An edge worker that uploads what it is sent, or what lies at an address, and answers with how it went. */
import { createClient, isUpcutError, type Progress, type UploadOptions, upload } from "../../../core/mod.ts";

interface Bindings {
  BASE_URL: string;
  TOKEN: string;
}

/** What the test asks for; the content is the request's body. */
export interface EdgeTask {
  do: "blob" | "stream" | "url" | "terminate" | "introduce";
  /** The address of the video, or the stream's id. */
  what?: string;
  options?: UploadOptions;
}

export default {
  async fetch(request: Request, { BASE_URL: baseUrl, TOKEN: token }: Bindings): Promise<Response> {
    const task = JSON.parse(request.headers.get("x-task") ?? "") as EdgeTask;
    const client = createClient({ baseUrl, token, paths: { asset: "/api/asset/{id}" } });
    const reports: Progress[] = [];
    const options = { ...task.options, onProgress: (report: Progress) => void reports.push(report) };
    if (task.do === "introduce")
      return Response.json({ agent: navigator.userAgent, node: "process" in globalThis });
    try {
      if (task.do === "terminate") {
        await client.terminateStream(task.what ?? "");
        return Response.json({ done: true });
      }
      const source = await sourceOf(task, request);
      return Response.json({ result: await upload(client, source, options), reports });
    } catch (error) {
      const record = isUpcutError(error) ? error : { message: String(error) };
      return Response.json({ error: record, reports });
    }
  },
};

async function sourceOf({ do: kind, what }: EdgeTask, request: Request) {
  if (kind === "url") return new URL(what ?? "");
  if (kind === "blob") return await request.blob();
  if (request.body === null) throw new Error("the request has no body");
  return request.body;
}
