/** The collector in a page of its own, where every step that it takes over what the page holds is counted. */
import type { Page } from "playwright-core";
import type { FrameFindings } from "../../../../entrypoints/page-videos/page-video.ts";
import { moduleScript } from "./module-script.ts";

export interface Steps {
  all: number;
  /** Of the longest time in which the page could not run. */
  longest: number;
}

export interface Look {
  found: FrameFindings;
  steps: Steps;
}

/** Fills an empty page, by what it gives or by itself; runs in the page, where FILLING is. */
export type Fill = (size: number) => string | void | Promise<void>;

export const FILLING = {
  times: (count: number, make: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => make(at)).join(""),
  script: (type: "json" | "ld+json", data: unknown): string =>
    `<script type="application/${type}">${JSON.stringify(data)}</script>`,
  link: (at: number, words = ""): string => `<a href="https://a.example/${at}.mp4">${words}</a>`,
  /** Elements in each other, each with something before the next one. */
  nest: (count: number, name: string, make: (at: number) => string): void => {
    let around: Element = document.body;
    for (let at = 0; at < count; at++) {
      const one = document.createElement(name);
      one.innerHTML = make(at);
      around.append(one);
      around = one;
    }
  },
};

/** Milliseconds of the clock that counts steps, and videos: without a limit but that of a slice. */
export const ENDLESS = { work: Number.POSITIVE_INFINITY, videos: Number.POSITIVE_INFINITY };

/** Has every page that is opened from now on hold the collector, and what pages are filled by. */
export async function provideCollector(page: Page): Promise<void> {
  const dom = "{ openOrClosedShadowRoot: ({ shadowRoot }) => shadowRoot }";
  const provided = Object.entries(FILLING).map(([name, work]) => `globalThis.${name} = ${work};`);
  await page.addInitScript(`globalThis.__name = (named) => named; globalThis.chrome = { dom: ${dom} };`);
  await page.addInitScript(provided.join("\n"));
  await page.addInitScript(
    `${await moduleScript("collector/collect.ts", "collector")} globalThis.collector = collector;`,
  );
}

/** Looks for the videos of what `fill` makes of an empty page, and counts the steps. */
export async function lookAt(page: Page, fill: Fill, size: number, limits = ENDLESS): Promise<Look> {
  await page.goto("about:blank");
  await page.evaluate(`(async () => {
    const body = await (${fill})(${size});
    if (body !== undefined) document.body.innerHTML = body;
  })()`);
  await page.evaluate(countSteps);
  return await page.evaluate(async ({ work, videos }) => {
    const { collector, steps } = globalThis as unknown as {
      collector: { collectVideos(limits: object): Promise<FrameFindings> };
      steps: Steps;
    };
    const endless = Number.POSITIVE_INFINITY;
    const found = await collector.collectVideos({
      time: { slice: 5, work, look: endless },
      catalogue: { videos, characters: endless },
    });
    return { found, steps: { ...steps } };
  }, limits);
}

/** What is found of a page as it is given, by a look that costs nothing to count. */
export async function findIn(page: Page, body: string, head = ""): Promise<FrameFindings> {
  return await page.evaluate(
    async ([body, head]) => {
      document.head.innerHTML = head;
      document.body.innerHTML = body;
      // Until its page has come, a frame is an empty one of the page itself.
      const isEmpty = ({ contentDocument }: HTMLIFrameElement) => contentDocument !== null;
      while ([...document.querySelectorAll("iframe")].some(isEmpty))
        await new Promise((resolve) => setTimeout(resolve, 10));
      return await (
        globalThis as unknown as { collector: { collectVideos(): Promise<FrameFindings> } }
      ).collector.collectVideos();
    },
    [body, head] as const,
  );
}

/** Runs in the page. The clock moves with the steps alone, a hundred in a millisecond. */
function countSteps(): void {
  const steps: Steps = { all: 0, longest: 0 };
  let startedAt = 0;
  Object.assign(globalThis, { steps });
  const { querySelectorAll } = Element.prototype;
  /** How much a browser has to look at for one call. */
  const weigh = (name: string, target: unknown, result: unknown): number => {
    if (typeof result === "string") return 1 + result.length / 1000;
    if (Array.isArray(result)) return 1 + result.length / 10;
    if (/^(querySelector|querySelectorAll|getElementsBy.*|children)$/.test(name) && target instanceof Element)
      return 1 + querySelectorAll.call(target, "*").length / 10;
    if (name !== "closest") return 1;
    let depth = 1;
    for (let at = (target as Node).parentNode; at !== null && at !== result; at = at.parentNode) depth += 0.1;
    return depth;
  };
  const count = (name: string, work: (...all: unknown[]) => unknown) =>
    function (this: unknown, ...all: unknown[]) {
      const result = Reflect.apply(work, this, all);
      if (!isPaused) {
        isPaused = true;
        steps.all += weigh(name, this, result);
        isPaused = false;
      }
      return result;
    };
  let isPaused = false;
  const kinds = [
    Node,
    Element,
    HTMLElement,
    CharacterData,
    DocumentFragment,
    Document,
    HTMLMediaElement,
    HTMLVideoElement,
    HTMLMetaElement,
    HTMLScriptElement,
    HTMLSourceElement,
    NamedNodeMap,
    Attr,
  ];
  const objects = [
    ...kinds.map(({ prototype }) => prototype),
    URL,
    URL.prototype,
    JSON,
    Object,
    Performance.prototype,
  ];
  for (const target of objects) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
      if (target === Object && !["values", "entries", "keys"].includes(name)) continue;
      if (!property.configurable || name === "constructor" || name === "prototype" || name === "now")
        continue;
      if (property.get) Object.defineProperty(target, name, { ...property, get: count(name, property.get) });
      else if (typeof property.value === "function")
        Object.defineProperty(target, name, { ...property, value: count(name, property.value) });
    }
  }
  performance.now = () => steps.all / 100;
  const wait = setTimeout;
  const noteSlice = () => {
    steps.longest = Math.max(steps.longest, steps.all - startedAt);
  };
  globalThis.setTimeout = ((work: () => void) => {
    noteSlice();
    return wait(() => {
      startedAt = steps.all;
      work();
    });
  }) as typeof setTimeout;
}
