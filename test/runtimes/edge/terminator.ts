/** An edge worker that ends live streams, from the client alone. */
import { createClient, isUpcutError } from "../../../core/client.ts";

interface Bindings {
  BASE_URL: string;
  TOKEN: string;
}

export default {
  async fetch(request: Request, { BASE_URL: baseUrl, TOKEN: token }: Bindings): Promise<Response> {
    const client = createClient({ baseUrl, token });
    try {
      await client.terminateStream(decodeURIComponent(new URL(request.url).pathname.slice(1)));
      return Response.json({ done: true });
    } catch (error) {
      return Response.json({ error: isUpcutError(error) ? error : { message: String(error) } });
    }
  },
};
