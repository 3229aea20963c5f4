/**
 * Finds the videos of a frame. It is injected when the popup opens, runs in a world of its own, and leaves nothing
 * behind: no listener, no element, no variable.
 */
import { defineUnlistedScript } from "wxt/utils/define-unlisted-script";
import { collectVideos } from "./collect.ts";

export default defineUnlistedScript({
  // A variable would stay in the isolated world.
  globalName: false,
  main: () => collectVideos(),
});
