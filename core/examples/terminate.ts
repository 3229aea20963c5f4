/**
 * Ends the running session of a live stream.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> bun core/examples/terminate.ts STREAM_ID
 */
import process from "node:process";
import { createClient, isUpcutError } from "../client.ts";

const [id] = process.argv.slice(2);
const { UPCUT_URL, UPCUT_TOKEN, UPCUT_TERMINATE_PATH } = process.env;
if (id === undefined || UPCUT_URL === undefined || UPCUT_TOKEN === undefined) {
  console.error("Usage: terminate.ts STREAM_ID");
  console.error("UPCUT_URL is the service's address, UPCUT_TOKEN the account's token");
  process.exit(2);
}

try {
  const client = createClient({
    baseUrl: UPCUT_URL,
    token: UPCUT_TOKEN,
    ...(UPCUT_TERMINATE_PATH !== undefined && { paths: { terminate: UPCUT_TERMINATE_PATH } }),
  });
  await client.terminateStream(id);
  console.log("Ended, if it was live. The streamer can start again at once");
} catch (error) {
  if (!isUpcutError(error)) throw error;
  console.error(error.message);
  if (error.code === "rate-limited")
    console.error(`Try again in ${Math.ceil((error.retryAfter ?? 5000) / 1000)} s`);
  process.exit(1);
}
