/** The parts of the document that commands work with. */
import type { OffscreenEvent } from "../shared/messages.ts";
import type { AssetWatch } from "./asset-watch.ts";
import type { UploadHistory } from "./history.ts";
import type { JobList } from "./job-list.ts";
import type { Removals } from "./removals.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import type { RunningUploads } from "./uploads.ts";

export interface OffscreenContext {
  list: JobList;
  uploads: RunningUploads;
  settings: SettingsCopy;
  removals: Removals;
  history: UploadHistory;
  assets: Pick<AssetWatch, "refresh">;
  send(event: OffscreenEvent): void;
}
