/** Core, the other clients, and bare scripts: each uploads a file to a location, and calls back; `loop` many. */

import { createUpload } from "@mux/upchunk";
import Uppy from "@uppy/core";
import Tus from "@uppy/tus";
import { Upload } from "tus-js-client";
import { upload } from "../../../core/mod.ts";
import { loop } from "./loop.mjs";

/** What is sent at a time where a browser may send a request again by itself. */
const PART = 8 * 1024 * 1024;

/** Sends one PATCH of the resumable protocol, and calls back once it is answered. */
function patch(url, body, offset, done, failed) {
  const xhr = new XMLHttpRequest();
  xhr.open("PATCH", url);
  xhr.setRequestHeader("Tus-Resumable", "1.0.0");
  xhr.setRequestHeader("Upload-Offset", `${offset}`);
  xhr.setRequestHeader("Content-Type", "application/offset+octet-stream");
  xhr.onload = done;
  xhr.onerror = failed;
  xhr.send(body);
}

/** The requests that core sends to a host that speaks HTTP/2, and nothing else. */
async function streamed(file, { url }) {
  const whole = file.size - (file.size % PART);
  for (const [start, end] of [
    [0, whole],
    [whole, file.size],
  ])
    if (end > start)
      await fetch(url, {
        method: "PATCH",
        body: (start === 0 && end === file.size ? file : file.slice(start, end)).stream(),
        duplex: "half",
        redirect: "manual",
        headers: {
          "Tus-Resumable": "1.0.0",
          "Upload-Offset": `${start}`,
          "Content-Type": "application/offset+octet-stream",
        },
      });
}

export const clients = {
  xhr: ([file], { url }, done, failed) => {
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", url);
    xhr.onload = done;
    xhr.onerror = failed;
    xhr.send(file);
  },
  patch: ([file], { url }, done, failed) => patch(url, file, 0, done, failed),
  parts: ([file], { url }, done, failed) => {
    const from = (offset) => {
      if (offset >= file.size) return done();
      const part = file.slice(offset, offset + PART);
      patch(url, part, offset, () => from(offset + part.size), failed);
    };
    from(0);
  },
  tus: ([file], { tusEndpoint }, done, failed) => {
    const metadata = { filename: file.name, filetype: file.type };
    new Upload(file, { endpoint: tusEndpoint, metadata, onSuccess: done, onError: failed }).start();
  },
  uppy: ([file], { tusEndpoint }, done, failed) => {
    const uppy = new Uppy().use(Tus, { endpoint: tusEndpoint });
    uppy.addFile({ name: file.name, type: file.type, data: file });
    uppy.upload().then(({ failed: broken }) => (broken.length > 0 ? failed() : done()), failed);
  },
  upchunk: ([file], { url }, done, failed) => {
    const upload = createUpload({ endpoint: url, file });
    upload.on("success", done);
    upload.on("error", failed);
  },
  stream: ([file], location, done, failed) => streamed(file, location).then(done, failed),
  upcut: ([file], location, done, failed) => {
    const requester = { scope: "bench", requestUpload: async () => location };
    upload(requester, file, { method: "resumable", resume: false }).then(done, failed);
  },
  loop: (files, account, done, failed) => loop(files, account).then(done, failed),
};
