/** Tells which rows a person looks at: those that stay on the screen for a moment. */

/** Milliseconds: scrolling by is no interest. */
const MOMENT = 150;

export interface Glances {
  /** Waits for the first look at a row. */
  await(row: Element): void;
  /** Forgets all rows. */
  clear(): void;
}

export function watchGlances(list: Element, onGlance: (row: Element) => void): Glances {
  const moments = new Map<Element, ReturnType<typeof setTimeout>>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        clearTimeout(moments.get(target));
        if (isIntersecting) moments.set(target, setTimeout(see, MOMENT, target));
      }
    },
    { root: list },
  );

  function see(row: Element): void {
    observer.unobserve(row);
    onGlance(row);
  }

  return {
    await: (row) => observer.observe(row),
    clear() {
      observer.disconnect();
      for (const moment of moments.values()) clearTimeout(moment);
      moments.clear();
    },
  };
}
