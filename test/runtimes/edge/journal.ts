/** A worker with the journal in a Durable Object: runs the cases of every journal, and uploads what lies at an address. */
import { durableObjectJournal } from "../../../core/journals/durable-object.ts";
import { JournalObject, type JournalObjectState } from "../../../core/journals/journal-object.ts";
import { createClient, isUpcutError, type UploadOptions, upload } from "../../../core/mod.ts";
import { journalContract } from "../../support/core/journal-contract.ts";
import { MOMENTS, pauseAtMoments } from "../../support/core/pauses.ts";

type Namespace = Parameters<typeof durableObjectJournal>[0];

interface Bindings {
  JOURNAL: Namespace;
  BASE_URL: string;
  TOKEN: string;
}

export type JournalTask =
  | { do: "cases" }
  | { do: "case"; title: string }
  | { do: "pause"; name: string }
  | { do: "upload"; name: string; address: string; leaseTimeout: number; options?: UploadOptions };

/** The object, which a test can wake, and then ask for the names of all that it keeps. */
export class WakeableJournal extends JournalObject {
  readonly #state: JournalObjectState;

  constructor(state: JournalObjectState) {
    super(state);
    this.#state = state;
  }

  override async fetch(request: Request): Promise<Response> {
    if (!request.url.endsWith("/wake")) return await super.fetch(request);
    await this.alarm();
    return Response.json([...(await this.#state.storage.list({ prefix: "", limit: 1000 })).keys()]);
  }
}

export default {
  async fetch(request: Request, { JOURNAL, BASE_URL: baseUrl, TOKEN: token }: Bindings): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith("/object/")) {
      const id = JOURNAL.idFromName(pathname.slice("/object/".length)) as never;
      const address = `http://journal/${search === "?wake" ? "wake" : ""}`;
      const reply = await JOURNAL.get(id).fetch(address, { method: "POST", body: await request.text() });
      return new Response(await reply.text(), { status: reply.status });
    }
    const task = (await request.json()) as JournalTask;
    if (task.do === "cases") return Response.json(Object.keys(journalContract));
    try {
      if (task.do === "case") {
        const [name, other] = [crypto.randomUUID(), crypto.randomUUID()];
        await journalContract[task.title]?.({
          open: (lifetimes) => durableObjectJournal(JOURNAL, { name, ...lifetimes }),
          openOther: () => durableObjectJournal(JOURNAL, { name: other }),
        });
        return Response.json({});
      }
      if (task.do === "pause") {
        const open = () => durableObjectJournal(JOURNAL, { name: task.name });
        return Response.json(await pauseAtMoments(MOMENTS, open, () => createClient({ baseUrl, token })));
      }
      const { name, leaseTimeout } = task;
      const journal = durableObjectJournal(JOURNAL, { name, leaseTimeout });
      const client = createClient({ baseUrl, token });
      const { asset, resumed } = await upload(client, new URL(task.address), { ...task.options, journal });
      return Response.json({ id: asset.id, resumed });
    } catch (error) {
      const { message } = error as Error;
      return Response.json({ message, ...(isUpcutError(error) && { code: error.code }) });
    }
  },
};
