/** The check of an upload's name, in words. */
import { LONGEST_NAME } from "../../core/validate.ts";
import { brokenTextProblem, isRefused } from "../shared/request-fields.ts";
import { formatBytes } from "./format.ts";

/** What is wrong with the name of an upload. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "Enter a name.";
  if (!isRefused({ name })) return undefined;
  const size = new TextEncoder().encode(name).length;
  return (
    brokenTextProblem(name) ??
    `This name has ${formatBytes(size)}. A name can have at most ${formatBytes(LONGEST_NAME)}.`
  );
}
