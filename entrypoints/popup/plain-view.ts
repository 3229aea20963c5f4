/** Shows texts in plain text, whoever wrote them: also where a component forgets that a page or a service may have. */
import { type ComponentChildren, h, options, type VNode } from "preact";
import { directionOf, hasIsolates, partsOf } from "../shared/isolates.ts";
import { plainText } from "../shared/plain-text.ts";

/** Attributes that hold sentences. */
const TEXTS = ["title", "aria-label", "alt", "placeholder"] as const;
/** Elements that hold text alone. */
const TEXT_ONLY: ReadonlySet<unknown> = new Set(["option", "title", "textarea"]);

interface ShownProps extends Partial<Record<(typeof TEXTS)[number], unknown>> {
  children?: ComponentChildren;
}

/** From now on. Foreign parts of a sentence keep their own direction. */
export function showPlainText(): void {
  const { vnode: before } = options;
  options.vnode = (vnode) => {
    if (typeof vnode.type === "string") {
      const props = vnode.props as ShownProps;
      if (props.children !== undefined) props.children = shown(props.children, TEXT_ONLY.has(vnode.type));
      for (const name of TEXTS) {
        const text = props[name];
        if (typeof text === "string") props[name] = plainText(text);
      }
    }
    before?.(vnode as VNode);
  };
}

function shown(children: ComponentChildren, isTextOnly: boolean): ComponentChildren {
  if (Array.isArray(children)) return children.map((child) => shown(child, isTextOnly));
  if (typeof children !== "string") return children;
  if (isTextOnly || !hasIsolates(children)) return plainText(children);
  return partsOf(children).map(({ text, isForeign }) =>
    isForeign ? h("bdi", { dir: directionOf(text) }, text) : text,
  );
}
