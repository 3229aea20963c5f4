/** The error for wrong words of a command line. */

/** Wrong options: told with the way to the help, and exit code 2. */
export class UsageError extends Error {
  /** Name of the class. */
  override readonly name = "UsageError" as const;
}
