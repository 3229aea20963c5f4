/** Responds to the requests of other contexts, each message type by one function. */

import { logName } from "../shared/fault.ts";
import type { BackgroundProtocol, BackgroundRequest, NoResponse } from "../shared/messages.ts";
import { entryOf } from "../shared/record.ts";

type Response<Type extends keyof BackgroundProtocol> = BackgroundProtocol[Type]["response"];

type Handlers = {
  [Type in keyof BackgroundProtocol]: (
    request: BackgroundProtocol[Type]["request"],
  ) => Promise<[Response<Type>] extends [null] ? unknown : Response<Type>>;
};

/** Registers the handlers. Must be called while the worker starts, or the message that woke it is lost. */
export function handleRequests(handlers: Handlers): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, respond) => {
    if (!isRequest(message) || sender.id !== chrome.runtime.id || isContentScript(sender)) return false;
    const handle = entryOf(handlers, message.type);
    if (handle === undefined) return false;
    const work = (handle as (request: BackgroundRequest) => Promise<unknown>)(message);
    // A handler that gives nothing responds all the same.
    work.then(
      (response) => respond(response ?? null),
      (error: unknown) => {
        logName(error);
        respond({ noResponse: true } satisfies NoResponse);
      },
    );
    // Keeps the channel open until the response is there.
    return true;
  });
}

function isRequest(message: unknown): message is BackgroundRequest {
  return (message as BackgroundRequest | null)?.to === "background";
}

/** Tells whether a script in a page of the web sent it: those get no response. */
function isContentScript({ url }: chrome.runtime.MessageSender): boolean {
  return url !== undefined && !url.startsWith(chrome.runtime.getURL(""));
}
