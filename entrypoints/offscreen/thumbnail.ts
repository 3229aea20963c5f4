/** A small picture of a video file, where the browser can show it. */
import { framePicture } from "../page-videos/frame-picture.ts";

/** Milliseconds until a video shows what it was asked for, which takes seconds on a busy machine. */
const VIDEO_EVENT_TIMEOUT = 20_000;

/** Seconds: many videos begin in the dark, and now and then Chromium has not painted the first frame it went to. */
const MOMENTS = [1, 4, 16];

/** A frame from near the beginning as a data: address; `undefined` where there is none to be had. */
export async function pictureOf(file: Blob): Promise<string | undefined> {
  const video = document.createElement("video");
  const url = URL.createObjectURL(file);
  try {
    video.muted = true;
    video.preload = "auto";
    video.src = url;
    await happens(video, "loadedmetadata");
    for (const moment of MOMENTS) {
      video.currentTime = Math.min(moment, video.duration / 3 || 0);
      await happens(video, "seeked");
      const picture = await framePicture(video);
      if (picture !== undefined) return picture;
    }
  } catch {
    // Not every video can be shown here; the list has an icon for those.
  } finally {
    video.removeAttribute("src");
    video.load();
    URL.revokeObjectURL(url);
  }
  return undefined;
}

function happens(video: HTMLVideoElement, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), VIDEO_EVENT_TIMEOUT);
    video.addEventListener(event, () => [clearTimeout(timer), resolve()], { once: true });
    video.addEventListener("error", () => [clearTimeout(timer), reject(new Error("no picture"))], {
      once: true,
    });
  });
}
