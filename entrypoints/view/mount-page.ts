/**
 * Draws a page of the extension, in the language and the direction of its texts; and these in plain text, whoever wrote
 * them: also where a component forgets that a page or a service may have.
 */

import { type ComponentChild, type ComponentChildren, h, options, render, type VNode } from "preact";
import { plainText } from "../../core/extension.ts";
import { directionOf, hasIsolates, partsOf } from "../shared/isolates.ts";
import { direction, language } from "../shared/translate.ts";

/** @param title of the browser's tab or window */
export function mountPage(title: string, view: ComponentChild): void {
  const { documentElement, body } = document;
  documentElement.lang = language();
  documentElement.dir = direction();
  document.title = title;
  showPlainText();
  // What Chromium 156 moves by it keeps the former layout of its children where its own look changes too.
  Reflect.deleteProperty(Element.prototype, "moveBefore");
  render(view, body);
}

const TEXTS = ["title", "aria-label", "alt", "placeholder"] as const;
/** The form of texts in some elements: three hold text alone, hints what is to be written, and quotes have lines. */
const SHOWS: Partial<Record<string, (text: string) => ComponentChildren>> = {
  option: plainText,
  title: plainText,
  textarea: plainText,
  hint: withCode,
  blockquote: (text) => text.split("\n").map(plainText).join("\n"),
};

interface ShownProps extends Partial<Record<(typeof TEXTS)[number] | "class", unknown>> {
  children?: ComponentChildren;
}

/** From now on. Foreign parts of a sentence keep their own direction. */
export function showPlainText(): void {
  const { vnode: before } = options;
  options.vnode = (vnode) => {
    if (typeof vnode.type === "string") {
      const props = vnode.props as ShownProps;
      const show = SHOWS[props.class === "hint" ? "hint" : vnode.type] ?? withIsolates;
      if (props.children !== undefined) props.children = shown(props.children, show);
      for (const name of TEXTS) {
        const text = props[name];
        if (typeof text === "string") props[name] = plainText(text);
      }
    }
    before?.(vnode as VNode);
  };
}

function shown(children: ComponentChildren, show: (text: string) => ComponentChildren): ComponentChildren {
  if (Array.isArray(children)) return children.map((child) => shown(child, show));
  return typeof children === "string" ? show(children) : children;
}

function withIsolates(text: string): ComponentChildren {
  if (!hasIsolates(text)) return plainText(text);
  return partsOf(text).map(({ text, isForeign }) =>
    isForeign ? h("bdi", { dir: directionOf(text) }, text) : text,
  );
}

/** `{id}` and the like are for a person to write. */
function withCode(text: string): ComponentChildren {
  return text
    .split(/(\{\w+\})/)
    .map((part, index) => (index % 2 === 0 ? withIsolates(part) : h("code", { dir: "ltr" }, part)));
}
