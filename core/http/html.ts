/**
 * Web pages that come where something else was asked for, as networks send them that ask to sign in.
 *
 * @module
 */

/** Whether a body is a web page. */
export function isHtmlPage(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text);
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
