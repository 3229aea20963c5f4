/** The words of a refusal. */
import { isUpcutError } from "../../../core/errors/errors.ts";

export function refusalOf(read: () => unknown): string {
  try {
    return `accepted: ${JSON.stringify(read())}`;
  } catch (error) {
    return isUpcutError(error) ? error.message : `not ours: ${error}`;
  }
}
