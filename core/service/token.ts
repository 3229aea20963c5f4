/** The account's token, as people paste it. */

import { InputError } from "../errors.ts";

/**
 * Reads a token as a person pastes it: white space around it and `Bearer ` come off.
 *
 * @param token what was pasted
 * @returns the token alone
 * @throws {InputError} `invalid-option`, without repeating the token.
 */
export function readToken(token: unknown): string {
  if (typeof token !== "string") throw tokenError("it is not a string");
  const clean = token
    .trim()
    .replace(/^Bearer(\s|$)/i, "")
    .trim();
  if (clean === "") throw tokenError("it is empty");
  if (/[\u0000-\u001f\u007f-\u009f]/.test(clean))
    throw tokenError("it holds a control character or a line break");
  if (/\s/.test(clean)) throw tokenError("it holds white space");
  if (/[^\u0021-\u007e]/.test(clean)) throw tokenError("it holds a character that no header can carry");
  return clean;
}

function tokenError(state: string): InputError {
  return new InputError("invalid-option", `Cannot use the account token: ${state}. Paste it again`);
}
