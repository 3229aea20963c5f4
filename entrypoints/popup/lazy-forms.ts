/** Opens the forms of drafts as they come near the screen: a browser looks through all forms whenever one is added. */
import { createWorkQueue } from "./work-queue.ts";

/** How far from the screen a draft gets its form: before the keyboard or a screen reader can come there. */
const FORM_MARGIN = "1000px";

export interface LazyForms<Row> {
  /** Opens a row's form once the row is near the screen. */
  openLater(row: Row): void;
  /** Opens it no more. */
  forget(row: Row): void;
}

/** @param open called once for each row that came near */
export function createLazyForms<Row extends { element: Element }>(open: (row: Row) => void): LazyForms<Row> {
  const farRows = new Map<Element, Row>();
  const nearRows = createWorkQueue<Row, Row>({
    schedule: (run) => setTimeout(run),
    work(row) {
      forget(row);
      open(row);
    },
  });
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const row = farRows.get(target);
        if (isIntersecting && row !== undefined) nearRows.add(row, row);
      }
    },
    { rootMargin: FORM_MARGIN },
  );

  function forget(row: Row): void {
    nearRows.delete(row);
    if (farRows.delete(row.element)) observer.unobserve(row.element);
  }

  return {
    openLater(row) {
      farRows.set(row.element, row);
      observer.observe(row.element);
    },
    forget,
  };
}
