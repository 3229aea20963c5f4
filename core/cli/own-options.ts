/** Advice of the module in the options of the command line: a person who typed a command has never seen a function's. */

const OWN_OPTIONS: readonly (readonly [module: RegExp, commandLine: string])[] = [
  [/^Cannot create a client: baseUrl /, "The service's address (UPCUT_URL, or --url) is wrong: it "],
  [/^Cannot create a client: (the )?token /, "The account's token is wrong: it "],
  [/^Cannot create a client: paths\.terminate /, "UPCUT_TERMINATE_PATH is wrong: it "],
  [/^Cannot create a client: paths\.asset /, "UPCUT_ASSET_PATH is wrong: it "],
  [/^Cannot open the playlist: (quality|language) is /, "Cannot open the playlist: --$1 is "],
  [/\. Set live to take what is there so far$/, ". Upload it once it has ended"],
  [/Add it, version (\S+) or newer$/, "Run npx -p @upcut/core -p mediabunny upcut, with version $1 or newer"],
  [/once nothing writes it any more$/, "$&, or leave out such files by --min-age"],
  [/Give its type$/, "Rename it if it is a video"],
  [/Give type "any" to upload it all the same$/, "If it is a video, save it and upload the file"],
  [/Give them as headers to open(Url|Hls)\(\)$/, "Save the video and upload the file"],
  [/Upload with resume: false, or discard\(\) it/, "Upload with --new, or discard it"],
  [/or use another journal$/, "or use another --journal"],
  [/use method "(resumable|direct)"/, "use --method $1"],
  [/([Cc])heck baseUrl and paths\.terminate/, "$1heck --url and UPCUT_TERMINATE_PATH"],
  [/([Cc])heck baseUrl and paths\.asset/, "$1heck --url and UPCUT_ASSET_PATH"],
  [/([Cc])heck paths\.asset/, "$1heck UPCUT_ASSET_PATH"],
  [/([Cc])heck baseUrl( and paths\.requestUpload)?( too)?/, "$1heck --url$3"],
];

export function inOwnOptions(message: string): string {
  return OWN_OPTIONS.reduce((text, [module, commandLine]) => text.replace(module, commandLine), message);
}
