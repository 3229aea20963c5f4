import { h, type VNode } from "preact";
import { expect, test } from "vitest";
import { showPlainText } from "../../../entrypoints/view/mount-page.ts";

test("foreign parts are elements of their own in an element, and plain text in its attributes", () => {
  showPlainText();
  const { title, children } = h("p", { title: "a \u2068b\u2069\u202E" }, "a \u2068b\u2069", ["c\u202E"])
    .props as {
    title: string;
    children: [[string, VNode], string[]];
  };
  expect(title).toBe("a b");
  const [[before, foreign], others] = children;
  expect([before, foreign.type, foreign.props, others]).toEqual([
    "a ",
    "bdi",
    { dir: "auto", children: "b" },
    ["c"],
  ]);
  expect(h("option", null, "a \u2068b\u2069").props.children).toBe("a b");
});

test("text alone is shown where an element holds nothing else, and code where a person is to write it", () => {
  showPlainText();
  const shown = (type: string, text: string, props: object | null = null) =>
    h(type, props, text).props.children;
  for (const type of ["option", "title", "textarea"]) expect(shown(type, "a \u2068b\u2069")).toBe("a b");
  expect(shown("blockquote", "a\u202E\nb")).toBe("a\nb");
  const hint = shown("p", "Write {id} here", { class: "hint" }) as [string[], VNode, string[]];
  expect([hint[0], hint[1].type, hint[1].props, hint[2]]).toEqual([
    ["Write "],
    "code",
    { dir: "ltr", children: "{id}" },
    [" here"],
  ]);
  const attributes = h("input", { placeholder: "a\u202E", alt: "b\u202E", value: "c\u202E" }).props;
  expect(attributes).toEqual({ placeholder: "a", alt: "b", value: "c\u202E" });
});
