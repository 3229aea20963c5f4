/** Web pages that come where something else was asked for, as networks send them that ask to sign in. */

export function isHtmlPage(text: string): boolean {
  return /^\s*<(!doctype|html)/i.test(text);
}

/** True if an error body is a piece of a web page, also one that begins with its words. */
export function isHtmlFragment(text: string): boolean {
  return isHtmlPage(text) || /^\s*<(head|title|body|h[1-6]|p|div|center|pre)\b/i.test(text);
}

/** True if a text in place of a video begins with an element or a comment: a person would read it. */
export function isMarkup(text: string): boolean {
  return /^<[a-z!?/]/i.test(text);
}

interface Answer {
  header(name: string): string | undefined;
  text: string;
}

export function isHtmlAnswer({ header, text }: Answer): boolean {
  return /\bhtml\b/i.test(header("content-type") ?? "") || isHtmlPage(text);
}
