/** Finds the rows that a person looks at: those that stay visible for a moment. */

/** Milliseconds that a row is visible before it counts: others are scrolled by. */
const VISIBLE_TIME = 150;

export interface VisibleRows {
  /** Waits until a row is visible for the first time. */
  watch(row: Element): void;
  /** Forgets all rows. */
  clear(): void;
}

export function watchVisibleRows(onVisible: (row: Element) => void): VisibleRows {
  const timers = new Map<Element, ReturnType<typeof setTimeout>>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      clearTimeout(timers.get(target));
      if (isIntersecting) timers.set(target, setTimeout(noteVisible, VISIBLE_TIME, target));
    }
  });

  function noteVisible(row: Element): void {
    observer.unobserve(row);
    onVisible(row);
  }

  return {
    watch: (row) => observer.observe(row),
    clear() {
      observer.disconnect();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
