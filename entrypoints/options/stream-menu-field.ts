/** On which pages the menu offers to end a stream, as the page's form holds it. */
import { element } from "../shared/elements.ts";
import { setProblem } from "../shared/form-field.ts";
import { setText } from "../shared/set-text.ts";
import type { Settings } from "../shared/settings.ts";
import { pagePattern, STREAM_MENUS, siteOf } from "../shared/stream-pages.ts";
import { t } from "../shared/translate.ts";

type StreamMenuSettings = Pick<Settings, "streamMenu" | "streamMenuPages">;

export interface StreamMenuField {
  write(settings: StreamMenuSettings): void;
  /** What is filled in, or undefined after marking what is wrong. */
  read(): StreamMenuSettings | undefined;
  /** Says which site the service of an address has. */
  nameSite(address: string): void;
}

export function makeStreamMenuField(): StreamMenuField {
  const choice = (menu: string) => element(`streamMenu-${menu}`, HTMLInputElement);
  const pages = element("streamMenuPages", HTMLTextAreaElement);
  return {
    write({ streamMenu, streamMenuPages }) {
      choice(streamMenu).checked = true;
      pages.value = streamMenuPages.join("\n");
    },
    read() {
      const streamMenu = STREAM_MENUS.find((menu) => choice(menu).checked) ?? "service";
      const streamMenuPages = pages.value
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      // What isn't used isn't seen either.
      const problem = streamMenu === "listed" ? streamPagesProblem(streamMenuPages) : undefined;
      setProblem(pages, problem);
      return problem === undefined ? { streamMenu, streamMenuPages } : undefined;
    },
    nameSite(address) {
      const site = siteOf(address);
      const hint = site === "" ? t("streamMenu.noService") : t("streamMenu.serviceHint", { site });
      setText(element("streamMenu-service-hint", HTMLElement), hint);
    },
  };
}

/** What is wrong with the addresses of pages. */
function streamPagesProblem(lines: string[]): string | undefined {
  const line = lines.find((each) => pagePattern(each) === undefined);
  if (line !== undefined) return t("streamMenu.wrongLine", { line });
  return lines.length === 0 ? t("streamMenu.noLine") : undefined;
}
