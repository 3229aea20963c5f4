/** Parts of a page, one in another, such as an article, a card or an entry of a list: what is in each of them. */

export interface Scope {
  element: Element;
  around: Scope | undefined;
  /** True if its first heading is its title. */
  isEntry: boolean;
  /** The innermost figure, itself included. */
  figure: Scope | undefined;
  caption?: Element;
  heading?: Element;
  /** How many are in it, at any depth; two stand for any number more. */
  headings: number;
  videos: number;
  links: number;
}

const SCOPES = new Set([
  ...["article", "section", "li", "div", "figure", "main", "aside", "header", "footer", "nav", "body"],
  ...["a", "td", "tr", "dd", "dl", "ul", "ol", "details", "dialog", "form", "fieldset", "p"],
]);

/** Custom elements too: most of them are players and cards. */
export function isScope(name: string): boolean {
  return SCOPES.has(name) || name.includes("-");
}

export function enterScope(element: Element, name: string, around: Scope | undefined): Scope {
  const isEntry = name === "article";
  const scope: Scope = { element, around, isEntry, figure: undefined, headings: 0, videos: 0, links: 0 };
  scope.figure = name === "figure" ? scope : around?.figure;
  return scope;
}

/** Each part of a page is looked at twice at most, however many headings there are. */
export function addHeading(scope: Scope | undefined, heading: Element): void {
  for (let at = scope; at !== undefined && at.headings < 2; at = at.around) {
    at.heading ??= heading;
    at.headings++;
  }
}

/** As with headings: where there are several, there are several around it too. */
export function countIn(scope: Scope | undefined, what: "videos" | "links"): void {
  for (let at = scope; at !== undefined && at[what] < 2; at = at.around) at[what]++;
}
