/** The fields with which an asset is asked for. */
import { filledFields, REQUEST_FIELD_NAMES, type RequestFields } from "../service/request-fields.ts";
import type { Arguments } from "./arguments.ts";
import { filledName, type Names } from "./name-pattern.ts";

export function fieldsOf(given: Arguments, names: Names | undefined) {
  const { name, ...others } = filledFields(given);
  const isOwn = ([key]: Arguments["field"][number]) =>
    (REQUEST_FIELD_NAMES as readonly string[]).includes(key);
  const further = given.field.filter((field) => !isOwn(field));
  return {
    ...others,
    ...(Object.fromEntries(given.field.filter(isOwn)) as RequestFields),
    ...(name !== undefined && { name: filledName(name, names) }),
    ...(further.length > 0 && { fields: Object.fromEntries(further) }),
  };
}
