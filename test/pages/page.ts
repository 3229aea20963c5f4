/** What all pages of the site are made of. */

export interface Origins {
  pages: string;
  media: string;
}

export type PageMaker = (origins: Origins) => string;

export function page(title: string, body: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
}

export const player = 'controls muted playsinline preload="auto" width="320" height="180"';
