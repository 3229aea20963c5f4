/** How a video element is shown at this moment. */
import type { Shown } from "../page-videos/page-video.ts";

interface DecodingVideo extends HTMLVideoElement {
  /** Chromium's own count of the sound so far. */
  webkitAudioDecodedByteCount?: number;
}

/** Asked just after the page was painted: its layout is known then. */
export function shownOf(video: HTMLVideoElement): Shown {
  const { left, top, right, bottom, width, height } = video.getBoundingClientRect();
  const [wide, high] = [
    Math.min(right, innerWidth) - Math.max(left, 0),
    Math.min(bottom, innerHeight) - Math.max(top, 0),
  ];
  const area = width * height;
  const playing = !video.paused && !video.ended && video.readyState >= video.HAVE_CURRENT_DATA;
  const hasNoSound = playing && (video as DecodingVideo).webkitAudioDecodedByteCount === 0;
  const muted = video.muted || video.volume === 0 || hasNoSound;
  return {
    playing,
    sounding: playing && !muted,
    inView: area > 0 && wide > 0 && high > 0 && wide * high > area / 2,
    controls: video.controls,
    area: Math.round(area),
    muted,
    repeats: video.loop || video.autoplay,
  };
}
