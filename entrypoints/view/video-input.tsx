/** The hidden field behind a button that chooses videos. */
import type { Ref, VNode } from "preact";
import { ACCEPT, takeFrom } from "../shared/choose-files.ts";
import type { Dropped } from "../shared/chosen-files.ts";
import { t } from "../shared/translate.ts";

interface VideoInputProps {
  input: Ref<HTMLInputElement>;
  take(chosen: Dropped): void;
}

export function VideoInput({ input, take }: VideoInputProps): VNode {
  return (
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
  );
}
