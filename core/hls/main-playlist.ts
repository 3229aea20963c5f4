/**
 * The tags of a main playlist: qualities, and sound of its own.
 *
 * @module
 */

import { type Attributes, readAttributes, type Variables } from "./attributes.ts";
import { LIMITS, type MainPlaylist } from "./playlist.ts";

/** Takes a line into a main playlist, and says whether it belongs there. The address of a quality is the next line. */
export function readMainTag(line: string, list: MainPlaylist, variables: Variables): boolean {
  if (line.startsWith("#EXT-X-STREAM-INF:")) {
    const attributes = readAttributes(line.slice("#EXT-X-STREAM-INF:".length), variables);
    const [width, height] = resolutionOf(attributes.get("RESOLUTION"));
    list.variants.push({
      href: "",
      bandwidth: amount(attributes, "AVERAGE-BANDWIDTH") ?? amount(attributes, "BANDWIDTH") ?? 0,
      width,
      height,
      frameRate: amount(attributes, "FRAME-RATE"),
      codecs: (attributes.get("CODECS") ?? "")
        .split(",", 20)
        .map((codec) => codec.trim())
        .filter((codec) => codec !== ""),
      audio: attributes.get("AUDIO"),
    });
    return true;
  }
  if (line.startsWith("#EXT-X-I-FRAME-STREAM-INF:")) {
    note(list, readAttributes(line.slice("#EXT-X-I-FRAME-STREAM-INF:".length), variables).get("URI"));
    return true;
  }
  if (line.startsWith("#EXT-X-MEDIA:")) {
    const attributes = readAttributes(line.slice("#EXT-X-MEDIA:".length), variables);
    note(list, attributes.get("URI"));
    const isDefault = attributes.get("DEFAULT") === "YES";
    const spoken = { name: attributes.get("NAME"), language: attributes.get("LANGUAGE") };
    if (attributes.get("TYPE") === "SUBTITLES" && list.subtitles.length < LIMITS.renditions)
      list.subtitles.push(spoken);
    if (attributes.get("TYPE") === "AUDIO")
      list.renditions.push({
        group: attributes.get("GROUP-ID") ?? "",
        href: attributes.get("URI"),
        ...spoken,
        isDefault,
        isChosen: isDefault || attributes.get("AUTOSELECT") === "YES",
      });
    return true;
  }
  return false;
}

/** What is beyond the limits is not needed to take the video. */
function note({ named }: MainPlaylist, href: string | undefined): void {
  if (href !== undefined && named.length < LIMITS.renditions) named.push(href);
}

function resolutionOf(text: string | undefined): [number?, number?] {
  const found = /^(\d{1,5})x(\d{1,5})$/i.exec(text ?? "");
  return found === null ? [] : [Number(found[1]), Number(found[2])];
}

/** A number above 0 that is no nonsense. */
function amount(attributes: Attributes, name: string): number | undefined {
  const text = attributes.get(name) ?? "";
  const value = /^\d{1,12}(\.\d{0,100})?$/.test(text) ? Number(text) : 0;
  return value > 0 ? value : undefined;
}
