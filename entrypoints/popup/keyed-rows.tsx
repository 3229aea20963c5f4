/** The rows of a long list: those whose item is as before cost nothing, and of many new ones, some come with each task. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows of the first paint, from which the popup takes its height; more are not on the screen. */
const FIRST_ROWS = 12;
/** Rows of each task after that, so that the page answers meanwhile. */
const ROWS_PER_TASK = 16;

interface DrawnRow<Item> {
  item: Item;
  row: VNode;
}

/** @param draw gives the row of an item, with its id as the key */
export function useKeyedRows<Item extends { id: string }>(
  items: readonly Item[],
  draw: (item: Item) => VNode,
): VNode[] {
  const drawn = useRef<ReadonlyMap<string, DrawnRow<Item>>>(new Map());
  const [, drawMore] = useState({});
  let left = drawn.current.size === 0 ? FIRST_ROWS : ROWS_PER_TASK;
  let isBehind = false;
  const next = items.flatMap((item) => {
    const known = drawn.current.get(item.id);
    if (known !== undefined && isSame(known.item, item)) return [known];
    if (left-- > 0) return [{ item, row: draw(item) }];
    isBehind = true;
    return known ?? [];
  });
  drawn.current = new Map(next.map((each) => [each.item.id, each]));
  useLayoutEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => drawMore({}));
    return () => clearTimeout(timer);
  });
  return next.map(({ row }) => row);
}

function isSame<Item extends object>(one: Item, other: Item): boolean {
  const names = Object.keys(other) as (keyof Item)[];
  return one === other || names.every((name) => one[name] === other[name]);
}
