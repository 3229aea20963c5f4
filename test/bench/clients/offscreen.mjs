/** In an offscreen document of an extension: uploads the file it is handed, with the client that is wanted. */

import { clients } from "./peers.mjs";

const channel = new BroadcastChannel("bench");
channel.onmessage = ({ data }) => {
  const { client, file, location } = data;
  if (client === undefined) return;
  const began = performance.now();
  const say = (outcome) => channel.postMessage({ outcome: [outcome, performance.now() - began] });
  const fail = (reason) => say(`failed: ${reason}`);
  clients[client](file, location, () => say("done"), fail);
};
channel.postMessage({ outcome: ["ready"] });
