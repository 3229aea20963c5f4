/**
 * What the command line says of itself.
 *
 * @module
 */

/** Shown by `--help`. */
export const HELP = `Uploads videos to an account of a video service, and ends its live streams.

  upcut upload FILE… | FOLDER… | ADDRESS… | -
  upcut list
  upcut discard FILE… | ADDRESS… | KEY… | --all
  upcut terminate STREAM_ID

upload      uploads files, all videos of folders, and videos at http or https addresses;
            "-" reads files and addresses from the standard input, one per line.
            Playlists (.m3u8) and manifests (.mpd) become one MP4, which needs the package mediabunny.
            Ctrl-C pauses: the same command resumes the same assets, and leaves out what it has uploaded.
  --name NAME          name of the asset, for a single video (default: the file's name)
  --mp4                also make MP4 versions of it
  --quality ID         of a playlist, such as 720p-2800000 (default: the best; a wrong one lists all)
  --language ID        of a playlist's sound, such as en (default: its own; a wrong one lists all)
  --method METHOD      resumable: goes on after a break; direct: one request; auto (default): direct up to 1 MiB
  --at-a-time N        uploads at a time, 1 to 100 (default 4)
  --bandwidth BYTES    most bytes per second, all uploads together, such as 500k or 2M
  --new                start over: upload everything again as new assets
list        shows unfinished uploads: key, source, asset, bytes, age
discard     ends unfinished uploads at the service and forgets them. KEY is the first column of list
terminate   ends the live session of a stream. The streamer can start again at once

  --url ADDRESS        base address of the service (default: UPCUT_URL)
  --token-file FILE    a file that holds the account's token (default: UPCUT_TOKEN_FILE)
  --journal FOLDER     where uploads are remembered (default: UPCUT_JOURNAL, or ~/.upcut)
  --json               print one JSON object per line
  -h, --help           show this
  -v, --version        show the version

The token is taken from UPCUT_TOKEN, else from the token file, else it is asked for on a terminal. No option takes it,
since other users of the machine could see it. They could also see signed addresses: give those through "-".
Some services have terminate at another path. Set it in UPCUT_TERMINATE_PATH, for example /api/stream/{id}/terminate

Results go to the standard output, everything else to the standard error.
Exit codes: 0 all done; 1 something failed; 2 wrong options; 130 paused by Ctrl-C; 143 paused by SIGTERM.
`;
