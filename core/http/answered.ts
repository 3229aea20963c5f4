/** Who has answered in this process: an address that never has may be mistyped, so it is given up soon. */

const answered = new Set<string>();
/** More than any process speaks to; one that is forgotten is only given up sooner. */
const MOST_ORIGINS = 10_000;

export function noteAnswer(origin: string): void {
  if (answered.size >= MOST_ORIGINS) answered.clear();
  answered.add(origin);
}

export function hasAnswered(origin: string): boolean {
  return answered.has(origin);
}

const firstContacts = new WeakSet<Error>();

/** Marks the error of a call to an account that has never answered. */
export function markFirstContact<Failure extends Error>(error: Failure): Failure {
  firstContacts.add(error);
  return error;
}

/** True if an error is of an account that has never answered: of one in another context nobody knows. */
export function isFirstContact(error: Error): boolean {
  return firstContacts.has(error);
}
