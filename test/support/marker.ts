/** Every secret that a test makes bears this word, so that a search of all that was printed and stored finds a leak. */
export const MARKER = "zq7secret";
