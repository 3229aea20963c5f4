/** Work, or what comes in its place once it takes too long. */

/** @param late gives that, or throws it */
export async function within<Result, Late>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Late,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return await Promise.race([work, end.then(late)]).finally(() => clearTimeout(timer));
}
