/** File names as headers carry them: hosts refuse longer ones, and by then the asset has been made. */

/** Bytes of UTF-8: as long as any file system lets a name be, and short of every host's limit. */
const LONGEST = 1_000;

/** Shortens a name in its middle where it is too long, so that its ending stays. */
export function shortFileName(name: string): string {
  const sound = name.toWellFormed();
  const encoder = new TextEncoder();
  if (encoder.encode(sound).length <= LONGEST) return sound;
  const ending = /\.\w{1,10}$/.exec(sound)?.[0] ?? "";
  const room = LONGEST - encoder.encode(`…${ending}`).length;
  const { read } = encoder.encodeInto(sound, new Uint8Array(room));
  return `${sound.slice(0, read)}…${ending}`;
}
