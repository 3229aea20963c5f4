/** The fields with which an asset is asked for. */
import { filledFields, type RequestFields } from "../service/request-fields.ts";
import type { Arguments } from "./arguments.ts";
import { filledName, type Names } from "./name-pattern.ts";

export function fieldsOf(given: Arguments, names: Names | undefined): RequestFields {
  const fields = filledFields(given);
  return fields.name === undefined ? fields : { ...fields, name: filledName(fields.name, names) };
}
