/** The check of an upload's name, in words. */
import { textProblem } from "../shared/request-fields.ts";
import { t } from "../shared/translate.ts";

/** What is wrong with the name of an upload. */
export function nameProblem(name: string): string | undefined {
  return name.trim() === "" ? t("problem.noName") : textProblem("name", name);
}
