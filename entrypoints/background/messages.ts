/** Answers what other contexts ask, each message type by one function. */
import type { BackgroundAsk, BackgroundProtocol, NoAnswer } from "../shared/messages.ts";

type Answers = {
  [Type in keyof BackgroundProtocol]: (
    ask: BackgroundProtocol[Type]["ask"],
  ) => Promise<BackgroundProtocol[Type]["answer"]>;
};

/** Registers the answers. Must be called while the worker starts, or the message that woke it is lost. */
export function answer(answers: Answers): void {
  chrome.runtime.onMessage.addListener((message: unknown, sender, reply) => {
    if (!isAsk(message) || sender.id !== chrome.runtime.id || isContentScript(sender)) return false;
    const work = (answers[message.type] as (ask: BackgroundAsk) => Promise<unknown>)(message);
    work.then(reply, (error: unknown) => {
      console.error(error instanceof Error ? error.name : "unknown error");
      reply({ noAnswer: true } satisfies NoAnswer);
    });
    // Keeps the channel open until the answer is there.
    return true;
  });
}

function isAsk(message: unknown): message is BackgroundAsk {
  return (message as BackgroundAsk | null)?.to === "background";
}

/** Pages of the web have no business here. */
function isContentScript({ url }: chrome.runtime.MessageSender): boolean {
  return url !== undefined && !url.startsWith(chrome.runtime.getURL(""));
}
