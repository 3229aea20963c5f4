/** In a page: uploads the chosen file to a location with the client that is wanted, and tells in how many milliseconds. */
import { upload } from "../../../core/mod.ts";
import { clients, PART } from "./peers.mjs";

/** The requests that core sends, and nothing else. */
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

const others = {
  stream: (file, location, done, failed) => streamed(file, location).then(done, failed),
  upcut: (file, location, done, failed) =>
    upload({ scope: "bench", requestUpload: async () => location }, file, {
      method: "resumable",
      resume: false,
    }).then(done, failed),
};

globalThis.run = (client, location) => {
  const [file] = document.querySelector("input").files;
  const began = performance.now();
  return new Promise((resolve) => {
    const say = (outcome) => (error) =>
      resolve([error ? `${outcome}: ${error}` : outcome, performance.now() - began]);
    ({ ...clients, ...others })[client](file, location, () => say("done")(), say("failed"));
  });
};
