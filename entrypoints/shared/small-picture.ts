/** Small pictures of videos, as lists show them. */

/** Pixels. */
export const PICTURE_WIDTH = 160;

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
