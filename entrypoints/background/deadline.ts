/** The time a call to the service may take: the worker lives 30 s after its last event, and must have answered before. */

/** Milliseconds; a little more than the client itself takes at most. */
const DEADLINE = 24_500;

/** Ends a call that its own timeout doesn't end. @param late the error then */
export async function beforeDeadline<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const stopper = new AbortController();
  let alarm: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    alarm = setTimeout(() => {
      reject(late());
      stopper.abort();
    }, DEADLINE);
  });
  return await Promise.race([work(stopper.signal), tooLate]).finally(() => clearTimeout(alarm));
}
