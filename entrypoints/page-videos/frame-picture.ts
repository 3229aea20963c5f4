/** Small pictures of videos, as lists show them. */

/** Difference of light between the darkest and the brightest point below which a picture shows nothing. */
const CONTRAST = 24;

/** As a data: address; `undefined` where the page may not read the video, or it shows nothing yet. */
export async function framePicture(video: HTMLVideoElement): Promise<string | undefined> {
  const { videoWidth, videoHeight, readyState } = video;
  if (readyState < video.HAVE_CURRENT_DATA || videoWidth === 0 || videoHeight === 0) return undefined;
  const canvas = new OffscreenCanvas(PICTURE_WIDTH, pictureHeight(videoWidth, videoHeight));
  // Read back at once, so painted by the processor.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  try {
    context?.drawImage(video, 0, 0, canvas.width, canvas.height);
    const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data;
    if (pixels === undefined || !showsSomething(pixels)) return undefined;
    return await pictureAddress(canvas);
  } catch {
    // From another origin that doesn't let the page read it.
    return undefined;
  }
}

function showsSomething(pixels: Uint8ClampedArray): boolean {
  let [low, high] = [255, 0];
  for (let at = 0; at < pixels.length; at += 4 * 7) {
    const light = ((pixels[at] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at + 2] ?? 0)) / 3;
    low = Math.min(low, light);
    high = Math.max(high, light);
  }
  return high - low >= CONTRAST;
}

/** Pixels. */
export const PICTURE_WIDTH = 160;

/** How high the small picture of a large one is; a strip of a few pixels' width would make it a tower. */
export function pictureHeight(width: number, height: number): number {
  return Math.min(2 * PICTURE_WIDTH, Math.max(1, Math.round((PICTURE_WIDTH * height) / width)));
}

export async function pictureAddress(canvas: OffscreenCanvas): Promise<string> {
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.7 });
  return `data:image/jpeg;base64,${new Uint8Array(await blob.arrayBuffer()).toBase64()}`;
}
