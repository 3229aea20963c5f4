/** Wrong options: told with the way to the help, and exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError" as const;
}
