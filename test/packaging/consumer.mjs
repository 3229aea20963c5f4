/** What somebody writes who installed the package: uploads a file from the disk, then the same from memory. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { upload } from "@upcut/core";
import { createClient } from "@upcut/core/client";
import { openFile } from "@upcut/core/file";

const [path] = process.argv.slice(2);
const client = createClient({ baseUrl: process.env.UPCUT_URL, token: process.env.UPCUT_TOKEN });
const disk = await upload(client, await openFile(path), { name: "From the disk" });
const video = new File([await readFile(path)], "video.mp4", { type: "video/mp4" });
const memory = await upload(client, video, { name: "From memory", method: "direct" });
console.log(JSON.stringify([disk.asset.id, memory.asset.id]));
