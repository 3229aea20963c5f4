import { expect, test } from "vitest";
import { isHtmlAnswer, isHtmlFragment, isHtmlPage, isMarkup } from "../../../core/text/html.ts";

test("isHtmlPage() knows a page by its beginning", () => {
  const pages = ["<html>", "<!DOCTYPE html>", "<HTML lang=en>", " \r\n\t<html>", "\ufeff<html>"];
  const others = ["", "html", "a <html>", '{"page":"<!doctype html>"}', "<body>", "< html>", "<?xml?><html>"];
  expect([...pages, ...others].filter(isHtmlPage)).toEqual(pages);
});

test.each([
  ["text/html", "", true],
  ["TEXT/HTML; charset=utf-8", "Sign in", true],
  ["application/xhtml+xml", "", false],
  [undefined, " <!DOCTYPE html>", true],
  ["text/plain", "<HTML lang=en>", true],
  ["application/json", '{"a":"<html>"}', false],
  [undefined, "", false],
])("isHtmlAnswer() of type %o and body %o is %o", (type, text, is) => {
  expect(isHtmlAnswer({ header: (name) => (name === "content-type" ? type : undefined), text })).toBe(is);
});

test.each([
  ["<!doctype html>", true, true],
  ["<h1>Not found</h1>", true, true],
  [" <P>Not found", true, false],
  ["<Error><Code>AccessDenied</Code></Error>", false, true],
  ["<!-- a comment -->", false, true],
  ["<", false, false],
  ["a <p>", false, false],
])("%j is a fragment of a page: %o, and markup: %o", (text, isFragment, isElement) => {
  expect([isHtmlFragment(text), isMarkup(text)]).toEqual([isFragment, isElement]);
});
