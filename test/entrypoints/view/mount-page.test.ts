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
