import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HIDDEN } from "../../../core/redaction/redaction.ts";
import { startHostileHost, TOKEN } from "../../support/hosts/hostile-host.ts";
import { rawAnswer } from "../../support/hosts/raw-server.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("cli-output");

test("an asset's id that repeats the token is shown nowhere", async () => {
  const id = `asset ${encodeURIComponent(encodeURIComponent(`${TOKEN}=`))}`;
  const host = await startHostileHost({
    "request-upload": (_, socket) => {
      const [url, tusEndpoint] = [`${host.origin}/direct`, `${host.origin}/tus`];
      const text = JSON.stringify({ asset: { id }, task: { id: TOKEN }, url, tusEndpoint });
      socket.end(rawAnswer(200, { "content-length": text.length, connection: "close" }, text));
    },
  });
  await writeFile(join(folder.path, "small.mp4"), "video");
  for (const words of [["--json"], []]) {
    const environment = {
      UPCUT_URL: host.origin,
      UPCUT_TOKEN: TOKEN,
      UPCUT_JOURNAL: join(folder.path, "ids-journal"),
    };
    const args = ["upload", join(folder.path, "small.mp4"), "--new", ...words];
    const { code, stdout } = await startCliHere(args, environment).ended();
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(HIDDEN) });
  }
});
