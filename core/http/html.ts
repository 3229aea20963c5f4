/**
 * Web pages that come where something else was asked for, as networks send them that ask to sign in.
 *
 * @module
 */

/** Whether a body is a web page, as those begin that name themselves. */
export function isHtmlPage(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text);
}

/** Whether an error body is a piece of a web page, be it one that begins with what it says. */
export function isHtmlFragment(text: string): boolean {
  return isHtmlPage(text) || /^\s*<(head|title|body|h[1-6]|p|div|center|pre)\b/i.test(text);
}

/** Whether what came in place of a video begins with an element or a comment: whatever it is, a person would read it. */
export function isMarkup(text: string): boolean {
  return /^<[a-z!?/]/i.test(text);
}

/** Whether an answer is one, by its type or its body. */
export function isHtmlAnswer({
  header,
  text,
}: {
  header(name: string): string | undefined;
  text: string;
}): boolean {
  return /\bhtml\b/i.test(header("content-type") ?? "") || isHtmlPage(text);
}
