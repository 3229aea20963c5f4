/** The ways to send a video: `auto` chooses one of the others. */
export const METHODS = ["auto", "resumable", "direct"] as const;
