/**
 * What a node is, even where its own properties are hidden: by the fields of a form, and in a document by pictures,
 * forms and frames, that have their names.
 */

export function nodeProperty<Name extends keyof Node>(node: Node, name: Name): Node[Name] {
  return Reflect.get(Node.prototype, name, node);
}

export function elementProperty<Name extends keyof Element>(element: Element, name: Name): Element[Name] {
  return Reflect.get(Element.prototype, name, element);
}

export function documentProperty<Name extends keyof Document>(name: Name): Document[Name] {
  return Reflect.get(Document.prototype, name, document);
}

/** What relative addresses of the page start from. */
export function baseAddress(): string {
  return nodeProperty(document, "baseURI");
}
