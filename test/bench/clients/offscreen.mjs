/** In an offscreen document of an extension: uploads what it is handed, with the client that is wanted. */

import { clients } from "./peers.mjs";

const channel = new BroadcastChannel("bench");
channel.onmessage = ({ data }) => {
  const { client, files, location } = data;
  if (client === undefined) return;
  const began = performance.now();
  const say = (outcome) => channel.postMessage({ outcome: [outcome, performance.now() - began] });
  const fail = (reason) => say(`failed: ${reason}`);
  clients[client](files, location, () => say("done"), fail);
};
channel.postMessage({ outcome: ["ready"] });
