/** The two requests that a small file takes, for several files at a time, and nothing else. */

/** @param read gives the body that a file is sent as */
export async function loop(files, { baseUrl, token, concurrency }, read = (file) => file) {
  const left = [...files];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asking = { method: "POST", headers, body: JSON.stringify({ name: "video.mp4" }) };
  const work = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const { url } = await (await fetch(`${baseUrl}/api/asset/request-upload`, asking)).json();
      const sent = await fetch(url, { method: "PUT", body: await read(file) });
      // An answer that isn't read keeps its connection.
      await sent.text();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
