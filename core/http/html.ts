/**
 * Web pages that come where something else was asked for, as networks send them that ask to sign in.
 *
 * @module
 */

/** Whether a body is a web page. */
export function isHtmlPage(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text);
}
