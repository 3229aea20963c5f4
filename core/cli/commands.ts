/** The commands: what each is called with, says of itself, and shows as examples. Help and completion are made of this. */

export interface CommandFacts {
  operands: string;
  summary: string;
  notes: readonly string[];
  examples: readonly string[];
}

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export const COMMANDS = {
  upload: {
    operands: "FILE… | FOLDER… | ADDRESS… | -",
    summary: "uploads files, the videos of folders, and videos at addresses",
    notes: [
      "Ctrl-C pauses: the same command resumes the same assets, and leaves out what is there already.",
      "A file is known by size, date and three samples of 64 KiB: a change between the samples that keeps",
      "size and date isn't seen. --new uploads it once more.",
      "Of a folder, files are taken that are videos by their ending; .ts and .mts are looked into.",
      "Folders that are hidden or called node_modules are left out, unless you name them.",
      "Playlists (.m3u8) and manifests (.mpd) become one MP4, which needs the package mediabunny:",
      "  npx -p @upcut/core -p mediabunny upcut upload https://…/main.m3u8",
      '"-" reads the standard input: a list of files and addresses, one per line, where lines that begin',
      "with # and name no file are skipped; or, with --stdin-name, a video itself.",
      "--name takes {stem}, {name} and {folder} for those of the file.",
      "Empty files, links that lead nowhere and links to folders are named and left out.",
      "--verify and --wait need a call that reads an asset: upcut login looks for it, or set UPCUT_ASSET_PATH.",
      "A video that is stored with other content has failed; where the service doesn't tell, that is said.",
    ],
    examples: [
      "upcut upload film.mp4 --name 'Launch film'",
      "upcut upload ./holiday --dry-run",
      "upcut upload ./holiday --name 'Sea-{stem}' --field description=Summer --move",
      "upcut upload ./holiday --include '*.mov' --exclude 'drafts/**' --bandwidth 2M",
      "upcut upload - < list.txt",
      "find . -name '*.mov' -print0 | upcut upload - -0",
      "ffmpeg -i film.mkv -f mpegts - | upcut upload - --stdin-name film.ts",
    ],
  },
  list: {
    operands: "",
    summary: "shows unfinished uploads: key, source, asset, bytes, age",
    notes: [
      "The first column is the KEY that discard takes.",
      "Where address and token are known, uploads of others are only counted; --all shows them.",
    ],
    examples: ["upcut list", "upcut list --json"],
  },
  discard: {
    operands: "KEY… | FILE… | ADDRESS… | --all",
    summary: "ends unfinished uploads at the service and forgets them",
    notes: ["KEY is the first column of upcut list. The assets stay in the account."],
    examples: ["upcut discard 0a1b2c3d4e5f", "upcut discard film.mp4", "upcut discard --all"],
  },
  status: {
    operands: "ASSET_ID… | -",
    summary: "shows whether uploaded videos are ready to watch",
    notes: [
      "It needs a call that reads an asset: upcut login looks for it, or set UPCUT_ASSET_PATH to its path.",
      '"-" reads the ids from the standard input, one per line. Ends with 1 where one has failed.',
    ],
    examples: ["upcut status 3b1f9c6e-90aa", "upcut status --json - < ids.txt"],
  },
  terminate: {
    operands: "STREAM_ID",
    summary: "ends the live session of a stream; the streamer can start again at once",
    notes: [
      "The call is also looked for under /api. If it is elsewhere, set UPCUT_TERMINATE_PATH to its path.",
    ],
    examples: ["upcut terminate 7f3c9a"],
  },
  login: {
    operands: "",
    summary: "stores address and token for you alone, once the service accepted them",
    notes: [
      "Both are asked for on a terminal. Else give --url, and the token by --token-file or the standard input.",
    ],
    examples: ["upcut login", "upcut login --url https://video.example < token.txt"],
  },
  whoami: {
    operands: "",
    summary: "says which address and token are used, and whether the service accepts them",
    notes: ["It asks the service to end a stream that nobody has, which changes nothing."],
    examples: ["upcut whoami"],
  },
  logout: {
    operands: "",
    summary: "forgets what login stored; the token itself stays valid",
    notes: [],
    examples: ["upcut logout"],
  },
  completion: {
    operands: SHELLS.join(" | "),
    summary: "prints what completes commands and options in a shell",
    notes: [],
    examples: [
      "source <(upcut completion bash)                                  # in ~/.bashrc",
      "source <(upcut completion zsh)                                   # in ~/.zshrc, after compinit",
      "upcut completion fish > ~/.config/fish/completions/upcut.fish",
      "upcut completion powershell | Out-String | Invoke-Expression     # in $PROFILE",
    ],
  },
} as const satisfies Record<string, CommandFacts>;

export type Command = keyof typeof COMMANDS;

export const COMMAND_NAMES: Command[] = Object.keys(COMMANDS) as Command[];
