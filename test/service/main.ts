/** Runs the service from a command line: `node --import tsx test/service/main.ts --help`. */
import { parseArgs } from "node:util";
import { parseAccounts } from "./accounts.ts";
import { type Service, startService } from "./service.ts";
import { parseStoreName } from "./stores.ts";
import { parseSwitches } from "./switches.ts";

const usage = `The local video service.

  --dir DIR            where files and records are kept (default .upcut/service)
  --api-port N         base address, 0 for any free port (default 8787)
  --upload-port N      upload host, 0 for any free port (default 8788)
  --advertise URL      the origin that locations name, where a proxy stands in front of the upload host
  --accounts LIST      more accounts: name:token,name:token
  --store NAME         where resumable uploads are kept: files (default), or tus-s3-1 and tus-s3-2, which are real
                       servers' own over an S3 stand-in, and need npm --prefix test/runtimes ci
  --switches JSON      switches to begin with, see switches.ts (default {"assetCall":true})
  --secret-marker WORD stands in every secret the service hands out
  --with-parent        end when the standard input ends, as it does when whoever started this dies
  --json               print one JSON line when ready, and nothing else
`;

const { values } = parseArgs({
  options: {
    dir: { type: "string", default: ".upcut/service" },
    "api-port": { type: "string", default: "8787" },
    "upload-port": { type: "string", default: "8788" },
    advertise: { type: "string" },
    accounts: { type: "string", default: "" },
    store: { type: "string", default: "files" },
    switches: { type: "string", default: '{"assetCall":true}' },
    "secret-marker": { type: "string", default: "" },
    "with-parent": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const switches = parseSwitches(JSON.parse(values.switches));

async function start(): Promise<Service> {
  return startService({
    directory: values.dir,
    apiPort: Number(values["api-port"]),
    uploadPort: Number(values["upload-port"]),
    ...(values.advertise !== undefined && { advertisedUploadUrl: values.advertise }),
    accounts: parseAccounts(values.accounts),
    store: parseStoreName(values.store),
    switches,
    secretMarker: values["secret-marker"],
  });
}

const service = await start().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

const { close, ...ready } = service;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void close().then(() => process.exit(0));
  });
}

if (values["with-parent"]) {
  process.stdin.resume().once("end", () => {
    void close().then(() => process.exit(0));
  });
}
if (values.json) process.stdout.write(`${JSON.stringify(ready)}\n`);
else {
  const [account] = ready.accounts;
  process.stdout.write(
    `Start page    ${ready.startPage}
Base address  ${ready.baseUrl}
Upload host   ${ready.uploadUrl}
Token         ${account?.token} (account "${account?.name}")
Asset path    ${switches.assetCall ? "/api/asset/{id}" : "none"}
Streams       ${ready.streams.join("\n              ")}
`,
  );
}
