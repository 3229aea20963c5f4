/** A small picture of a video file, where the browser can show it. */
import { PICTURE_WIDTH } from "../shared/small-picture.ts";

const PATIENCE = 5_000;

/** A frame from near the beginning as a data: address; `undefined` where there is none to be had. */
export async function pictureOf(file: Blob): Promise<string | undefined> {
  const video = document.createElement("video");
  const url = URL.createObjectURL(file);
  try {
    video.muted = true;
    video.preload = "auto";
    video.src = url;
    await happens(video, "loadedmetadata");
    video.currentTime = Math.min(1, video.duration / 3 || 0);
    await happens(video, "seeked");
    const canvas = document.createElement("canvas");
    canvas.width = PICTURE_WIDTH;
    canvas.height = Math.max(1, Math.round((PICTURE_WIDTH * video.videoHeight) / video.videoWidth));
    // Painted by the processor: what the graphics card paints is never shown here, and stays black.
    canvas
      .getContext("2d", { willReadFrequently: true })
      ?.drawImage(video, 0, 0, canvas.width, canvas.height);
    const picture = canvas.toDataURL("image/jpeg", 0.7);
    return picture.startsWith("data:image/jpeg") ? picture : undefined;
  } catch {
    // Not every video can be shown here; the list has an icon for those.
    return undefined;
  } finally {
    video.removeAttribute("src");
    video.load();
    URL.revokeObjectURL(url);
  }
}

function happens(video: HTMLVideoElement, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), PATIENCE);
    video.addEventListener(event, () => [clearTimeout(timer), resolve()], { once: true });
    video.addEventListener("error", () => [clearTimeout(timer), reject(new Error("no picture"))], {
      once: true,
    });
  });
}
