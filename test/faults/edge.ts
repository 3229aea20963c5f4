/** An edge worker that uploads with `verify`, and answers with what is told of each upload. */
import { collectVerdicts } from "./verdicts.ts";

interface Bindings {
  BASE_URL: string;
  TOKEN: string;
  SWEEPER: string;
}

export default {
  async fetch(
    _: Request,
    { BASE_URL: baseUrl, TOKEN: token, SWEEPER: sweeper }: Bindings,
  ): Promise<Response> {
    return Response.json(await collectVerdicts({ baseUrl, token }, sweeper));
  },
};
