/** What one run of a job works with. */
import type { JobList } from "./job-list.ts";
import type { SettingsCopy } from "./settings-copy.ts";

export interface JobRun {
  list: JobList;
  settings: SettingsCopy;
  id: string;
  /** Whoever aborts it says what the job is then. */
  stopper: AbortController;
  /** Whether the upload host could be reached at the last look, though no attempt gets an answer. */
  isReachable?: boolean;
}
