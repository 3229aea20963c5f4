/** The check of an upload's name, in words. */
import { LONGEST_NAME } from "../../core/validate.ts";
import { formatBytes } from "../shared/format.ts";
import { brokenTextProblem, isRefused } from "../shared/request-fields.ts";
import { t } from "../shared/translate.ts";

/** What is wrong with the name of an upload. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return t("problem.noName");
  if (!isRefused({ name })) return undefined;
  const size = new TextEncoder().encode(name).length;
  return (
    brokenTextProblem(name) ??
    t("problem.longName", { size: formatBytes(size), most: formatBytes(LONGEST_NAME) })
  );
}
