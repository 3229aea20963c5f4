/** The button that chooses videos, with the hidden field behind it. */
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { ACCEPT, canPick, pick, takeFrom } from "../shared/choose-files.ts";
import type { Dropped } from "../shared/chosen-files.ts";
import { t } from "../shared/translate.ts";
import { Button, type ButtonProps } from "./actions.tsx";

interface ChooseButtonProps extends ButtonProps {
  inTab: boolean;
  take(chosen: Dropped): void;
}

/** @param act in place of choosing here */
export function ChooseButton({ inTab, take, act, ...attributes }: ChooseButtonProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  async function choose(): Promise<void> {
    if (canPick(inTab)) take({ files: await pick(true), emptyFolders: [] });
    else input.current?.click();
  }
  return (
    <>
      <Button {...attributes} act={act ?? choose} />
      <input
        ref={input}
        id="files"
        type="file"
        multiple
        hidden
        accept={ACCEPT.join()}
        aria-label={t("popup.videos")}
        onChange={({ currentTarget }) => take({ files: takeFrom(currentTarget), emptyFolders: [] })}
      />
    </>
  );
}
