/**
 * What the status of an answer says, whoever asked.
 *
 * @module
 */

/** Whether an answer is a success. */
export function isSuccess({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

/** Whether an answer leads elsewhere. */
export function isRedirect({ status }: { status: number }): boolean {
  return status >= 300 && status < 400;
}
