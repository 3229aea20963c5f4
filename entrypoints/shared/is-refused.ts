/** True if core refuses something. */
import { isUpcutError } from "../../core/extension.ts";

export function isRefused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return true;
  }
}
