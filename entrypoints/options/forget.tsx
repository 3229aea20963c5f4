/** The question before an account is forgotten, and with it what else the person wants to be forgotten. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { logName } from "../shared/fault.ts";
import { isEnded } from "../shared/job.ts";
import { readList } from "../shared/list-store.ts";
import { callBackground } from "../shared/messages.ts";
import { openOffscreenChannel } from "../shared/offscreen-channel.ts";
import { plural, t } from "../shared/translate.ts";
import { within } from "../shared/within.ts";
import { Button } from "../view/actions.tsx";
import { Check } from "../view/choice.tsx";

/** Milliseconds for uploads to stop and the list to be emptied. */
const LIST_TIMEOUT = 30_000;

interface ForgetProps {
  /** Called when the question is answered; undefined where nothing is forgotten. */
  onEnd(isForgotten: boolean | undefined): void;
}

const withList = signal(true);
const withHosts = signal(true);
const isBusy = signal(false);
const unfinished = signal(0);

export function ForgetDialog({ onEnd }: ForgetProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    for (const each of [withList, withHosts]) each.value = true;
    unfinished.value = 0;
    void countUnfinished();
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="forget-title"
      aria-describedby="forget-about"
      // The dialog's end is told too late for a click that opens it again: the focus is back before.
      onCancel={(event) => {
        event.preventDefault();
        onEnd(undefined);
      }}
      onClose={() => onEnd(undefined)}
    >
      <h2 id="forget-title">{t("forget.title")}</h2>
      <p id="forget-about">{t("forget.about")}</p>
      <fieldset class="choices">
        <legend>{t("forget.also")}</legend>
        <Check
          id="forget-list"
          label={t("forget.list")}
          hint={t("forget.listHint")}
          isChecked={withList.value}
          onCheck={(isChecked) => {
            withList.value = isChecked;
          }}
        >
          {unfinished.value > 0 && <p class="warning">{plural("forget.unfinished", unfinished.value)}</p>}
        </Check>
        <Check
          id="forget-hosts"
          label={t("forget.hosts")}
          hint={t("forget.hostsHint")}
          isChecked={withHosts.value}
          onCheck={(isChecked) => {
            withHosts.value = isChecked;
          }}
        />
      </fieldset>
      <div class="answers">
        <Button words={t("forget.cancel")} autofocus act={() => onEnd(undefined)} />
        <Button
          class="danger"
          words={t("forget.confirm")}
          disabled={isBusy.value}
          act={() => forget().then(onEnd)}
        />
      </div>
    </dialog>
  );
}

async function forget(): Promise<boolean> {
  isBusy.value = true;
  try {
    if (withList.value) await clearList();
    await callBackground("forget-account", { hosts: withHosts.value });
    return true;
  } catch (error) {
    logName(error);
    return false;
  } finally {
    isBusy.value = false;
  }
}

async function countUnfinished(): Promise<void> {
  const jobs = await readList().catch(() => []);
  unfinished.value = jobs.filter((job) => !isEnded(job) && job.state !== "draft").length;
}

async function clearList(): Promise<void> {
  const { promise: cleared, resolve } = Promise.withResolvers<void>();
  const channel = openOffscreenChannel(({ type }) => {
    if (type === "removed") resolve();
  });
  const clear = async () => {
    await channel.waitUntilReady();
    channel.send({ type: "clear-list" });
    await cleared;
  };
  await within(LIST_TIMEOUT, clear(), () => {
    throw new Error("the uploads don't answer");
  }).finally(channel.close);
}
