/** The collector in a page of its own, where every step that it takes over what the page holds is counted. */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build, type Rollup } from "vite";
import type { FrameFindings } from "../../../entrypoints/shared/page-video.ts";
import { asShipped } from "./as-shipped.ts";

/** What a look cost, in steps. */
export interface Steps {
  /** Of the whole look. */
  all: number;
  /** Of the longest time in which the page could not run. */
  longest: number;
}

export interface Look {
  found: FrameFindings;
  steps: Steps;
}

const ENTRY = "virtual-collector";

/** The collector as one script that makes it callable. */
export async function buildCollector(): Promise<string> {
  const source = fileURLToPath(new URL("../../../entrypoints/collector/collect.ts", import.meta.url));
  const result = (await asShipped(() =>
    build({
      configFile: false,
      logLevel: "warn",
      plugins: [
        {
          name: ENTRY,
          resolveId: (id) => (id === ENTRY ? id : undefined),
          load: (id) =>
            id === ENTRY
              ? `import { collectVideos } from ${JSON.stringify(source)}; Object.assign(globalThis, { collectVideos });`
              : undefined,
        },
      ],
      build: {
        write: false,
        minify: false,
        rolldownOptions: {
          input: ENTRY,
          output: { format: "iife", codeSplitting: false },
        },
      },
    }),
  )) as Rollup.RollupOutput;
  return result.output[0].code;
}

/** Fills an empty page, by what it gives or by itself; runs in the page, where FILLING is. */
export type Fill = (size: number) => string | void | Promise<void>;

/** What pages are filled by. */
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

/**
 * Looks for the videos of what `fill` makes of an empty page.
 *
 * @param address of that page. @default "about:blank"
 */
export async function lookAt(
  page: Page,
  collector: string,
  fill: Fill,
  size: number,
  limits = ENDLESS,
  address = "about:blank",
): Promise<Look> {
  await page.goto(address);
  if (address === "about:blank") await page.setContent("<!doctype html><title>A page</title><body></body>");
  await page.evaluate("globalThis.__name = (named) => named");
  for (const [name, work] of Object.entries(FILLING)) await page.evaluate(`globalThis.${name} = ${work}`);
  await page.evaluate(`(async () => {
    const body = await (${fill})(${size});
    if (body !== undefined) document.body.innerHTML = body;
  })()`);
  await page.evaluate(countSteps);
  await page.evaluate(collector);
  return await page.evaluate(async ({ work, videos }) => {
    const { collectVideos, steps } = globalThis as unknown as {
      collectVideos(limits: object): Promise<FrameFindings>;
      steps: Steps;
    };
    const endless = Number.POSITIVE_INFINITY;
    const found = await collectVideos({
      time: { slice: 5, work, look: endless },
      catalogue: { videos, characters: endless },
    });
    return { found, steps: { ...steps } };
  }, limits);
}

/** Runs in the page. The clock moves with the steps alone, a hundred in a millisecond. */
function countSteps(): void {
  const steps: Steps = { all: 0, longest: 0 };
  let startedAt = 0;
  Object.assign(globalThis, {
    steps,
    chrome: { dom: { openOrClosedShadowRoot: ({ shadowRoot }: Element) => shadowRoot } },
  });
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
