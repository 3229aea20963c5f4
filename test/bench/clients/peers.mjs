/** The other clients, and bare scripts: each uploads a file to a location, and calls back. */

import { createUpload } from "@mux/upchunk";
import Uppy from "@uppy/core";
import Tus from "@uppy/tus";
import { Upload } from "tus-js-client";

/** What is sent at a time where a browser may send a request again by itself. */
export const PART = 8 * 1024 * 1024;

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

export const clients = {
  xhr: (file, { url }, done, failed) => {
    const xhr = new XMLHttpRequest();
    xhr.open("PUT", url);
    xhr.onload = done;
    xhr.onerror = failed;
    xhr.send(file);
  },
  patch: (file, { url }, done, failed) => patch(url, file, 0, done, failed),
  parts: (file, { url }, done, failed) => {
    const from = (offset) => {
      if (offset >= file.size) return done();
      const part = file.slice(offset, offset + PART);
      patch(url, part, offset, () => from(offset + part.size), failed);
    };
    from(0);
  },
  tus: (file, { tusEndpoint }, done, failed) => {
    const metadata = { filename: file.name, filetype: file.type };
    new Upload(file, { endpoint: tusEndpoint, metadata, onSuccess: done, onError: failed }).start();
  },
  uppy: (file, { tusEndpoint }, done, failed) => {
    const uppy = new Uppy().use(Tus, { endpoint: tusEndpoint });
    uppy.addFile({ name: file.name, type: file.type, data: file });
    uppy.upload().then(({ failed: broken }) => (broken.length > 0 ? failed() : done()), failed);
  },
  upchunk: (file, { url }, done, failed) => {
    const upload = createUpload({ endpoint: url, file });
    upload.on("success", done);
    upload.on("error", failed);
  },
};
