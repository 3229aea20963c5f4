#!/bin/sh
# Makes the samples beside it, with ffmpeg 5.1 of Debian 12. Six seconds: pictures with B-frames, and sound.
set -e
cd "$(dirname "$0")"
ff() { ffmpeg -hide_banner -loglevel error -y "$@"; }
ff -f lavfi -i testsrc2=size=160x90:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000 -t 6 \
  -c:v libx264 -preset slow -g 60 -keyint_min 60 -sc_threshold 0 -bf 3 -b:v 60k -pix_fmt yuv420p \
  -c:a aac -b:a 24k -fflags +bitexact -flags:v +bitexact -flags:a +bitexact original.mp4
hls() { ff -i original.mp4 -c copy -hls_time 2 -hls_playlist_type vod "$@"; }
hls -hls_segment_filename 'ts-%d.mpegts' /tmp/ts.m3u8
hls -hls_segment_type fmp4 -hls_fmp4_init_filename fmp4-init.mp4 -hls_segment_filename 'fmp4-%d.m4s' fmp4.m3u8
hls -map 0:v -map 0:a -var_stream_map 'v:0,agroup:sound,name:video a:0,agroup:sound,name:audio' -hls_segment_type fmp4 \
  -hls_fmp4_init_filename '%v-init.mp4' -hls_segment_filename '%v-%d.m4s' '%v.m3u8'
cat audio.m3u8
rm -f fmp4.m3u8 video.m3u8 audio.m3u8
