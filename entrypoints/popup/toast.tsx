/** Says what has happened: aloud, and at the foot of the page where the list itself doesn't show it. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { UNDO_TIME } from "../shared/messages.ts";
import { plural, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { send } from "./offscreen-connection.ts";

const TIME = 5000;

const words = signal("");
const isShown = signal(false);
const isUndoable = signal(false);
let clearing: ReturnType<typeof setTimeout> | undefined;
let forgetting: ReturnType<typeof setTimeout> | undefined;

export function say(sentence: string, how: { isShown?: boolean } = {}): void {
  words.value = sentence;
  isShown.value = how.isShown === true || isUndoable.peek();
  clearTimeout(clearing);
  clearing = setTimeout(() => {
    words.value = "";
  }, TIME);
}

export async function copyText(text: string, words = t("popup.copied", { text })): Promise<void> {
  await navigator.clipboard.writeText(text);
  say(words, { isShown: true });
}

export function offerUndo(count: number): void {
  isUndoable.value = true;
  say(plural("list.removed", count));
  clearTimeout(forgetting);
  forgetting = setTimeout(forgetUndo, UNDO_TIME);
}

function forgetUndo(): void {
  clearTimeout(forgetting);
  isUndoable.value = false;
}

function undo(): void {
  forgetUndo();
  send({ type: "undo" });
}

function onKeyDown(event: KeyboardEvent): void {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
  const isTyping = (event.target as Element).closest("input, textarea, select") !== null;
  if (!isUndo || isTyping || !isUndoable.peek()) return;
  event.preventDefault();
  undo();
}

export function Toast(): VNode {
  useEffect(() => document.addEventListener("keydown", onKeyDown), []);
  return (
    <div id="notice" class={isShown.value || isUndoable.value ? "" : "hidden-visually"}>
      <p id="status" role="status">
        {words.value}
      </p>
      {isUndoable.value && (
        <Button id="undo" words={t("list.undo")} aria-keyshortcuts="Control+Z" act={undo} />
      )}
    </div>
  );
}
