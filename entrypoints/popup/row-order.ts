/** Keeps the rows in the order of the list; only what has another place now is moved. */
import type { Job } from "../shared/job.ts";
import { byPlace, type Placed } from "../shared/list-order.ts";

interface OrderedRow {
  element: Element;
  view: { job: Job };
}

export interface RowOrder<Row> {
  /** Puts a row where it belongs now. Its focus, and what it shows, stay as they are. */
  place(row: Row): void;
  remove(row: Row): void;
}

export function createRowOrder<Row extends OrderedRow>(root: Element): RowOrder<Row> {
  const rows: Row[] = [];
  /** What each was placed by: its job may have changed since. */
  const places = new Map<Row, Placed>();

  function indexFor(place: Placed): number {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const there = places.get(rows[middle] as Row) as Placed;
      if (byPlace(there, place) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function takeOut(row: Row): void {
    if (places.delete(row)) rows.splice(rows.indexOf(row), 1);
  }

  return {
    place(row) {
      const { state, createdAt, place: placeInBatch = 0, movedUpAt } = row.view.job;
      const before = places.get(row);
      const moved = movedUpAt !== undefined && { movedUpAt };
      const place: Placed = { state, createdAt, place: placeInBatch, ...moved };
      if (before !== undefined && byPlace(before, place) === 0) {
        places.set(row, place);
        return;
      }
      takeOut(row);
      const index = indexFor(place);
      const next = rows[index]?.element ?? null;
      rows.splice(index, 0, row);
      places.set(row, place);
      // Unlike inserting it again, this keeps its focus and its scroll position.
      if (row.element.parentNode !== root) root.insertBefore(row.element, next);
      else if (row.element.nextElementSibling !== next)
        keepView(row.element, () => root.moveBefore(row.element, next));
    },
    remove: takeOut,
  };
}

/**
 * Moves an entry of a list without moving what else is looked at. The browser sees to it by itself, but for an entry
 * with the focus: it scrolls after that one.
 */
function keepView(moving: Element, move: () => void): void {
  if (!moving.contains(document.activeElement)) {
    move();
    return;
  }
  const seen = entriesInView(moving.parentElement).find((each) => each !== moving);
  const before = seen?.getBoundingClientRect().top;
  const { scrollX, scrollY } = window;
  move();
  if (seen === undefined || before === undefined) window.scrollTo(scrollX, scrollY);
  else window.scrollBy(0, seen.getBoundingClientRect().top - before);
}

/** Some of the entries of a list that are on the screen, from the middle outwards. */
function entriesInView(list: Element | null): Element[] {
  return [0.5, 0.7, 0.3, 0.9].flatMap((part) => {
    let at = document.elementFromPoint(innerWidth / 2, innerHeight * part);
    while (at !== null && at.parentElement !== list) at = at.parentElement;
    return at ?? [];
  });
}
