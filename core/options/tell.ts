/** Calls functions of the caller's that are told of something. */

/** Calls one; what it throws or rejects with goes to `onFailure`. One that is async is not waited for. */
export function tell<Report>(
  listener: ((report: Report) => unknown) | undefined,
  report: Report,
  onFailure: (error: unknown) => void,
): void {
  try {
    Promise.resolve(listener?.(report)).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}
