/** The meaning of an answer's status, the same for all requests. */

/** True if a number is the status of an answer at all. */
export function isHttpStatus({ status }: { status: number }): boolean {
  return Number.isInteger(status) && status >= 200 && status < 600;
}

/** True if an answer is a success. */
export function isSuccess({ status }: { status: number }): boolean {
  return status >= 200 && status < 300;
}

/** True if an answer leads elsewhere. */
export function isRedirect({ status }: { status: number }): boolean {
  return status >= 300 && status < 400;
}
