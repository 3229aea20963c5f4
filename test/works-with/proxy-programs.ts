/** Proxies of Debian before an upload host, each set up with a limit of its bodies. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unpackProgram } from "../support/debian.ts";
import { makeCertificates } from "../support/hosts/certificate.ts";
import { scratchFolder } from "../support/scratch.ts";

export interface ProxySettings {
  port: number;
  /** The origin behind it. */
  target: string;
  /** TLS, with HTTP/2 for those that ask for it. */
  isSecure: boolean;
  /** MiB of a body; 0 is any number. */
  most: number;
  /** True if a body is held until it has come. */
  buffers: boolean;
}

export interface ProxyProgram {
  /** With its version. */
  name: string;
  start(settings: ProxySettings): Promise<{ stop(): Promise<void> }>;
}

interface Program {
  path: string;
  libraries: string;
  arguments(folder: string): string[];
  configuration(settings: ProxySettings, folder: string): string;
}

export async function findNginx(): Promise<ProxyProgram> {
  const found = await find("nginx", ["nginx", "libpcre2-8-0"]);
  const { stderr } = await promisify(execFile)(found.path, ["-v"], { env: environmentOf(found.libraries) });
  return programOf("nginx", stderr, {
    ...found,
    arguments: (folder) => ["-p", folder, "-c", join(folder, "configuration"), "-e", "stderr"],
    configuration: ({ port, target, isSecure, most, buffers }, folder) => `
      daemon off;
      # Workers of root would be another user's, who may not write here.
      master_process off;
      pid ${folder}/pid;
      events {}
      http {
        access_log off;
        ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map((name) => `${name}_temp_path ${folder}/${name};`)
          .join(" ")}
        client_max_body_size ${most}m;
        server {
          listen 127.0.0.1:${port}${isSecure ? " ssl http2" : ""};
          ${isSecure ? `ssl_certificate ${folder}/certificate; ssl_certificate_key ${folder}/key;` : ""}
          location / {
            proxy_pass ${target};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_request_buffering ${buffers ? "on" : "off"};
          }
        }
      }`,
  });
}

/** @param changesAddresses true for what it does by itself: it decodes them, which an upload's address doesn't survive */
export async function findLighttpd(changesAddresses = false): Promise<ProxyProgram> {
  const found = await find("lighttpd", ["lighttpd", "libnettle8", "libxxhash0", "libpcre2-8-0"]);
  const { stdout } = await promisify(execFile)(found.path, ["-v"], { env: environmentOf(found.libraries) });
  const modules = found.path.replace("sbin/lighttpd", "lib/lighttpd");
  return programOf("lighttpd", stdout, {
    ...found,
    arguments: (folder) => ["-D", "-f", join(folder, "configuration"), "-m", modules],
    configuration: ({ port, target, most, buffers }, folder) => `
      server.modules = ( "mod_proxy" )
      ${changesAddresses ? "" : 'server.http-parseopts = ( "url-path-2f-decode" => "disable" )'}
      server.document-root = "${folder}"
      server.upload-dirs = ( "${folder}" )
      server.bind = "127.0.0.1"
      server.port = ${port}
      server.max-request-size = ${most * 1024}
      server.stream-request-body = ${buffers ? 0 : 1}
      proxy.server = ( "" => (( "host" => "127.0.0.1", "port" => ${new URL(target).port} )) )`,
  });
}

function environmentOf(libraries: string): NodeJS.ProcessEnv {
  return { ...process.env, ...(libraries !== "" && { LD_LIBRARY_PATH: libraries }) };
}

async function find(name: string, packages: string[]): Promise<{ path: string; libraries: string }> {
  const own = `/usr/sbin/${name}`;
  if (existsSync(own)) return { path: own, libraries: "" };
  return await unpackProgram({
    root: fileURLToPath(new URL(`./.state/${name}`, import.meta.url)),
    program: `usr/sbin/${name}`,
    packages: async () => packages,
    advice: `Install it (Debian: apt-get install ${name})`,
  });
}

/** @param told the program's words about itself, of which the first two numbers of its version are shown */
function programOf(name: string, told: string, program: Program): ProxyProgram {
  const version = /\d+\.\d+/.exec(told)?.[0] ?? "";
  return {
    name: `${name} ${version}`,
    async start(settings) {
      const folder = await scratchFolder(name);
      const { certificate, key } = makeCertificates().server;
      await writeFile(join(folder.path, "certificate"), certificate);
      await writeFile(join(folder.path, "key"), key.export({ type: "pkcs8", format: "pem" }), {
        mode: 0o600,
      });
      await writeFile(join(folder.path, "configuration"), program.configuration(settings, folder.path));
      const child = spawn(program.path, program.arguments(folder.path), {
        env: environmentOf(program.libraries),
        stdio: ["ignore", "inherit", "pipe"],
      });
      await listening(child, settings.port);
      return {
        async stop() {
          const ended = once(child, "exit");
          child.kill("SIGTERM");
          await ended;
          await folder.remove();
        },
      };
    },
  };
}

/** Waits until it takes connections; fails where it ends before. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`the proxy ended: ${said}`)));
  const tried = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  const isThere = async () => {
    while (!(await tried())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await Promise.race([isThere(), ended]);
  ended.catch(() => {});
}
