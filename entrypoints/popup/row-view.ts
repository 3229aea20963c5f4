/** What a row of the list shows, beside the job itself. */
import type { Job } from "../shared/job.ts";
import type { ButtonName } from "./message-catalogue.ts";

export interface RowView {
  job: Job;
  now: number;
  playbackPage: string;
  /** The draft's form, while it is open. */
  form?: Element;
  /** Whether what is folded away is shown: a draft's form, or the rest of what can be done with a finished upload. */
  isOpen?: boolean;
  /** Whether its failure came while the page was open, and is to be announced. */
  announcesErrors?: boolean;
  /** Whether the person was asked if the upload shall end. */
  isConfirmingEnd?: boolean;
  /** What came of the last click, where the list doesn't tell. */
  note?: string;
  /** The button that has just copied. */
  copied?: ButtonName;
  act(button: ButtonName): void;
  giveFile(input: HTMLInputElement): void;
}
