/** The bar below the page's videos: picks all that are in sight, and says how many are picked. */
import { element } from "../../shared/elements.ts";
import { setText } from "../../shared/set-text.ts";
import { plural, t } from "../../shared/translate.ts";
import type { VideoRow } from "./video-rows.ts";

export interface Picker {
  /** @param takeable those that can be taken, also where nobody sees them now */
  show(takeable: VideoRow[], isEnabled: boolean): void;
}

export interface PickerOptions {
  /** Called with what is to be picked, or no longer. */
  onPickAll(rows: VideoRow[], picked: boolean): void;
  onUpload(): void;
}

export function createPicker({ onPickAll, onUpload }: PickerOptions): Picker {
  const bar = element("page-videos-take", HTMLDivElement);
  const pickAll = element("pick-all", HTMLInputElement);
  const uploadButton = element("upload-picked", HTMLButtonElement);
  const loops = element("background-loops", HTMLDetailsElement);
  let shown: VideoRow[] = [];
  let isOn = false;

  const inSight = () => shown.filter(({ isLoop }) => loops.open || !isLoop);

  function draw(): void {
    const count = shown.filter(({ view }) => view.picked).length;
    const offered = offeredOf(inSight());
    const picked = offered.filter(({ view }) => view.picked).length;
    bar.hidden = shown.length === 0;
    pickAll.checked = picked > 0 && picked === offered.length;
    pickAll.indeterminate = picked > 0 && picked < offered.length;
    pickAll.closest("label")?.toggleAttribute("hidden", inSight().length < 2);
    setText(uploadButton, count === 0 ? t("found.upload") : plural("found.uploadPicked", count));
    // Not disabled: that would take the focus away from it.
    uploadButton.ariaDisabled = String(!isOn || count === 0);
  }

  pickAll.addEventListener("change", () => onPickAll(offeredOf(inSight()), pickAll.checked));
  uploadButton.addEventListener("click", onUpload);
  loops.addEventListener("toggle", draw);
  return {
    show(takeable, isEnabled) {
      shown = takeable;
      isOn = isEnabled;
      draw();
    },
  };
}

/** What all at once means: not what was uploaded already, while anything else is left. */
function offeredOf(rows: VideoRow[]): VideoRow[] {
  const fresh = rows.filter(({ view }) => !view.added && view.known === undefined);
  return fresh.length > 0 ? fresh : rows;
}
