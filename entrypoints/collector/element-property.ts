/** What an element is, even where the fields of a form hide its own properties by having their names. */
export function elementProperty<Name extends keyof Element>(element: Element, name: Name): Element[Name] {
  return Reflect.get(Element.prototype, name, element);
}
