/** Makes both account calls of an address once each, and prints their codes and messages. */
import { createClient, isUpcutError } from "../../../core/client.ts";

const [baseUrl = ""] = process.argv.slice(2);
const client = createClient({ baseUrl, token: "a-token", timeout: 10_000 });
for (const call of [
  () => client.requestUpload({ name: "Video" }),
  () => client.terminateStream("launch-stream"),
]) {
  const error: unknown = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  console.log(JSON.stringify(isUpcutError(error) ? [error.code, error.message] : ["none", String(error)]));
}
