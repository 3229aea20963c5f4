#!/usr/bin/env bash
# Makes the sample videos beside this script. Only this script needs ffmpeg.
set -euo pipefail
cd "$(dirname "$0")"

font=$(fc-match -f '%{file}' 'DejaVu Sans:bold' 2>/dev/null || true)

# Draws a title over the picture, if there is a font to draw it with.
titled() { # picture filter, title, subtitle
  local text=$1 size=$4
  if [[ -n $font ]]; then
    text+=",drawtext=fontfile=$font:text='$2':fontsize=h/$size:fontcolor=white:shadowx=2:shadowy=2"
    text+=":shadowcolor=black@0.4:x=(w-text_w)/2:y=h*0.40"
    text+=",drawtext=fontfile=$font:text='$3':fontsize=h/$size*0.45:fontcolor=white@0.85:x=(w-text_w)/2:y=h*0.56"
  fi
  printf '%s' "$text"
}

# Chords that fade in and out, quiet enough to be left on.
chord() { # seconds, three frequencies
  printf 'aevalsrc=0.07*(sin(2*PI*%s*t)+sin(2*PI*%s*t)+sin(2*PI*%s*t))*(0.6+0.4*sin(PI*t)):s=44100:d=%s,afade=t=in:d=0.5,afade=t=out:st=%s:d=0.7' \
    "$2" "$3" "$4" "$1" "$(echo "$1 - 0.7" | bc)"
}

gradient() { # size, rate, seconds, two colours
  printf 'gradients=s=%s:r=%s:d=%s:c0=%s:c1=%s:c2=%s:n=3:speed=0.012:seed=7:x0=0:y0=0:x1=%s:y1=%s' \
    "$1" "$2" "$3" "$4" "$5" "$6" "${1%x*}" "${1#*x}"
}

quiet=(-hide_banner -loglevel error -y -fflags +bitexact -flags:v +bitexact -flags:a +bitexact)

ffmpeg "${quiet[@]}" -f lavfi -i "$(titled "$(gradient 640x360 30 10 0x0f2027 0x2c5d8f 0x6fb1c7)" 'Launch video' 'H.264 and AAC, 10 s' 8)" \
  -f lavfi -i "$(chord 10 220 277.18 329.63)" \
  -c:v libx264 -preset veryslow -crf 24 -g 60 -pix_fmt yuv420p -c:a aac -b:a 64k -movflags +faststart launch-video.mp4

ffmpeg "${quiet[@]}" -f lavfi -i "$(titled "mandelbrot=s=480x270:r=24:end_scale=0.35:end_pts=200:start_scale=2.6:maxiter=60:inner=black,hue=h=150:s=0.45,eq=brightness=-0.22:contrast=0.9" 'Deep dive' 'VP9 and Opus, 6 s' 7)" \
  -f lavfi -i "$(chord 6 196 246.94 293.66)" -t 6 \
  -c:v libvpx-vp9 -crf 46 -b:v 450k -g 48 -row-mt 1 -deadline good -cpu-used 2 -c:a libopus -b:a 48k deep-dive.webm

ffmpeg "${quiet[@]}" -f lavfi -i "$(gradient 320x180 24 3 0x134e5e 0x3f8f6b 0xa8d08d)" \
  -c:v libx264 -preset veryslow -crf 30 -pix_fmt yuv420p -movflags +faststart tiny.mp4

ffmpeg "${quiet[@]}" -f lavfi -i "$(titled "$(gradient 640x360 25 5 0x42275a 0xb0607a 0xf0b27a)" 'Camera roll' 'QuickTime, 5 s' 8)" \
  -f lavfi -i "$(chord 5 261.63 329.63 392)" \
  -c:v libx264 -preset veryslow -crf 26 -g 50 -pix_fmt yuv420p -c:a aac -b:a 64k camera-roll.mov

ls -l -- *.mp4 *.webm *.mov
