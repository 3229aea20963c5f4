/** Small pictures of videos, as lists show them. */

/** Pixels. */
export const PICTURE_WIDTH = 160;

/** How high the small picture of a large one is; a strip of a few pixels' width would make it a tower. */
export function pictureHeight(width: number, height: number): number {
  return Math.min(2 * PICTURE_WIDTH, Math.max(1, Math.round((PICTURE_WIDTH * height) / width)));
}

/** What was painted, as a data: address. */
export async function pictureAddress(canvas: OffscreenCanvas): Promise<string> {
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.7 });
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
