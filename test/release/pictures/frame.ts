/** What is around the extension's own pages in the pictures: a browser drawn plainly, and the words beside it. */
import { readFile } from "node:fs/promises";
import type { Language } from "../../entrypoints/catalogue.ts";
import { DASHBOARD, type ExampleName, MAGAZINE, sceneOf, titleOf } from "./examples.ts";
import type { Say } from "./texts.ts";

/** A picture of a page of the extension, in pixels of the picture that it is put into. */
export interface Shot {
  png: string;
  width: number;
  height: number;
}

export interface Framed {
  language: Language;
  dark?: boolean;
  say: Say;
}

const css = await readFile(new URL("frame.css", import.meta.url), "utf8");
/** The icon, as it is in the package. */
const icon = await readFile(new URL("../../../public/icon/upcut.svg", import.meta.url), "utf8");

const SIGNS = {
  back: "M11 3 5 9l6 6M5 9h10",
  again: "M15 9a6 6 0 1 1-2-4.5M15 2v4h-4",
  menu: "M9 3v.01M9 9v.01M9 15v.01",
};
const sign = (name: keyof typeof SIGNS) =>
  `<svg class="sign" viewBox="0 0 18 18"><path d="${SIGNS[name]}"/></svg>`;
const image = ({ png, width, height }: Shot) =>
  `<img src="data:image/png;base64,${png}" width="${width}" height="${height}" alt="">`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function documentOf({ language, dark = false, say }: Framed, body: string): string {
  return `<!doctype html><html lang="${language}" dir="${say("direction")}" style="color-scheme: ${dark ? "dark" : "light"}">
    <meta charset="utf-8"><style>${css}</style><body>${body}`;
}

/** The words on one side, and what they are about on the other. */
export function screenshot(framed: Framed, name: string, browser: string): string {
  const { say } = framed;
  const caption = `<div id="brand">${icon}Upcut</div>
    <h1>${escapeHtml(say(`${name}.title`))}</h1><p>${escapeHtml(say(`${name}.line`))}</p>`;
  return documentOf(
    framed,
    `<section id="caption">${caption}</section><section id="browser">${browser}</section>`,
  );
}

export function tile(framed: Framed): string {
  const words = `<div id="tile-name">Upcut</div><div id="tile-line">${escapeHtml(framed.say("tile.line"))}</div>`;
  return documentOf(framed, `<section id="tile"><div id="tile-icon">${icon}</div>${words}</section>`);
}

/** The icon for the store: transparent, with the margin that it asks for. */
export function iconWithMargin(size: number, margin: number): string {
  const style = `html, body { margin: 0; background: none } svg { display: block; width: ${size - 2 * margin}px; margin: ${margin}px }`;
  return `<!doctype html><style>${style}</style>${icon}`;
}

export interface Tab {
  title: string;
  /** What the address field shows. */
  address: string;
  /** Whether it is a page of the extension. @default false */
  isOwn?: boolean;
}

/** A browser's window: its front tab, what that shows, and whether the extension's button is pressed. */
export function browserWindow({ say }: Framed, tab: Tab, content: string, pressed = false): string {
  const favicon = tab.isOwn ? icon : "<i></i>";
  return `<div id="tabs"><p>${favicon}${escapeHtml(tab.title)}</p><p><i></i>${escapeHtml(say("example.newTab"))}</p></div>
    <div id="toolbar">${sign("back")}${sign("again")}<div id="address">${escapeHtml(tab.address)}</div>
      <div id="button" class="${pressed ? "pressed" : ""}">${icon}</div>${sign("menu")}</div>
    <div id="content">${content}</div>`;
}

/** A page with videos, as wide as given. */
export function magazine({ say }: Framed, names: readonly ExampleName[], width: number): string {
  const play = `<svg class="play" viewBox="0 0 44 44"><circle cx="22" cy="22" r="22" fill="#0009"/><path d="M17 13v18l15-9z" fill="#fff"/></svg>`;
  const figures = names.map(
    (name) => `<figure style="width: ${width}px"><img src="${sceneOf(name)}" alt="">${play}
      <figcaption>${escapeHtml(titleOf(name, say))}</figcaption></figure>`,
  );
  return `<div class="magazine"><h2>${escapeHtml(say("example.magazine"))}</h2>
    <h3>${escapeHtml(say("example.videosOf"))}</h3>${figures.join("")}</div>`;
}

/** A page that lists live streams; one id is selected. */
export function streams(
  { say }: Framed,
  all: readonly { name: string; id: string }[],
  selected: string,
): string {
  const rows = all.map(({ name, id }) => {
    const shown = id === selected ? `<mark>${id}</mark>` : id;
    return `<li><b>${escapeHtml(name)}</b><code><bdi>${shown}</bdi></code><em>${escapeHtml(say("example.live"))}</em></li>`;
  });
  return `<div class="streams"><h2>${escapeHtml(say("example.streams"))}</h2><ul>${rows.join("")}</ul></div>`;
}

export const popup = (shot: Shot): string => `<div id="popup">${image(shot)}</div>`;

export const whole = (shot: Shot): string => image(shot);

export const panel = (shot: Shot): string =>
  `<div id="panel"><div class="title">${icon}Upcut</div>${image(shot)}</div>`;

/** A window of the extension above the browser's own. */
export function windowAbove(title: string, shot: Shot): string {
  return `<div id="window"><div class="title">${icon}${escapeHtml(title)}</div>${image(shot)}</div>`;
}

export const magazineTab = ({ say }: Framed): Tab => ({ title: say("example.magazine"), address: MAGAZINE });

export const dashboardTab = ({ say }: Framed): Tab => ({ title: say("example.streams"), address: DASHBOARD });
