/** Draws a page of the extension, in the language and the direction of its texts. */
import { type ComponentChild, render } from "preact";
import { direction, language } from "../shared/translate.ts";
import { showPlainText } from "./plain-view.ts";

/** @param title of the browser's tab or window */
export function mountPage(title: string, view: ComponentChild): void {
  const { documentElement, body } = document;
  documentElement.lang = language();
  documentElement.dir = direction();
  document.title = title;
  showPlainText();
  render(view, body);
}
