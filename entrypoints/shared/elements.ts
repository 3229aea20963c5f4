/** The elements of the static page, by id. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`Cannot find the element ${JSON.stringify(id)}`);
  return found;
}
