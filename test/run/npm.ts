/** How npm is started without a shell, which is what Windows needs for its npm.cmd. */
import { win32 } from "node:path";

/** The program and its first arguments: the script of the npm that runs this, or of the one beside Node on Windows. */
export function npmCommand(
  system: string = process.platform,
  node: string = process.execPath,
  script: string | undefined = process.env.npm_execpath,
): string[] {
  // Another package manager names itself there.
  if (script !== undefined && /[\\/]npm-cli\.[cm]?js$/.test(script)) return [node, script];
  if (system !== "win32") return ["npm"];
  return [node, win32.join(win32.dirname(node), "node_modules", "npm", "bin", "npm-cli.js")];
}
