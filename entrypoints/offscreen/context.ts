/** The parts of the document that commands work with. */
import type { OffscreenEvent } from "../shared/messages.ts";
import type { AssetWatch } from "./asset-watch.ts";
import type { History } from "./history.ts";
import type { JobList } from "./job-list.ts";
import type { Removals } from "./removals.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import type { Uploads } from "./uploads.ts";

export interface OffscreenContext {
  list: JobList;
  uploads: Uploads;
  settings: SettingsCopy;
  removals: Removals;
  history: History;
  assets: Pick<AssetWatch, "refresh">;
  send(event: OffscreenEvent): void;
}
