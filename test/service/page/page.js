/** Keeps the start page as the service is, by asking it every second. Text is only ever set as text. */
const find = (id) => document.getElementById(id);
const rows = new Map();

async function ask(path, init) {
  const answer = await fetch(`/_demo/${path}`, init);
  if (!answer.ok) throw new Error(`Cannot read ${path}: ${answer.status}`);
  return answer.json();
}

async function draw() {
  const [{ assets }, { uploads }, { streams }] = await Promise.all(
    ["assets", "uploads", "streams"].map((path) => ask(path)),
  );
  const progress = new Map(
    uploads.map(({ assetId, arrived, size }) => [assetId, size ? arrived / size : null]),
  );
  find("asset-count").textContent = assets.length > 0 ? String(assets.length) : "";
  find("no-assets").hidden = assets.length > 0;
  arrange(
    "asset",
    assets.reverse(),
    ({ asset }) => asset.id,
    (row, shown) => drawAsset(row, shown, progress),
  );
  arrange("stream", streams, ({ id }) => id, drawStream);
}

/** Keeps one element for each item, so that a playing video isn't touched by what happens to others. */
function arrange(kind, items, keyOf, drawItem) {
  const list = find(`${kind}s`);
  const wanted = new Set(items.map((item) => `${kind}:${keyOf(item)}`));
  for (const [key, row] of rows) {
    if (!key.startsWith(`${kind}:`) || wanted.has(key)) continue;
    row.remove();
    rows.delete(key);
  }
  items.forEach((item, index) => {
    const key = `${kind}:${keyOf(item)}`;
    const row = rows.get(key) ?? find(kind).content.firstElementChild.cloneNode(true);
    rows.set(key, row);
    drawItem(row, item);
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  });
}

const phases = { uploading: "Uploading", processing: "Processing", ready: "Ready", failed: "Failed" };

function drawAsset(row, { asset, sha256 }, progress) {
  const part = (name) => row.querySelector(`.${name}`);
  const { phase, errorMessage } = asset.status;
  const uploaded = progress.get(asset.id);
  setText(part("name"), asset.name || "(no name)");
  setState(
    part("state"),
    phase,
    phase === "uploading" && uploaded === undefined ? "Waiting for content" : phases[phase],
  );

  const bar = row.querySelector("progress");
  bar.hidden = phase !== "uploading" || uploaded === undefined;
  bar.setAttribute("aria-label", `Upload of ${asset.name}`);
  if (uploaded == null) bar.removeAttribute("value");
  else bar.value = uploaded;

  const video = asset.videoSpec?.tracks.find(({ type }) => type === "video");
  part("facts").textContent = [
    asset.size === undefined ? null : formatSize(asset.size),
    asset.videoSpec ? formatDuration(asset.videoSpec.duration) : null,
    video ? `${video.width} × ${video.height}` : null,
    asset.videoSpec?.tracks.map(({ codec }) => codec).join(", "),
  ]
    .filter(Boolean)
    .join(" · ");
  setText(part("id"), asset.id);
  part("hash-row").hidden = !sha256;
  if (sha256) {
    setText(part("hash"), `${sha256.slice(0, 16)}…`);
    part("hash").title = sha256;
  }
  if (row.dataset.phase === phase) return;
  row.dataset.phase = phase;
  drawScreen(part("screen"), asset, errorMessage);
  part("links").replaceChildren(
    ...(asset.size === undefined || !sha256 ? [] : [link(asset.downloadUrl, "Original file")]),
    ...(phase === "ready" && asset.playbackUrl ? [link(asset.playbackUrl, "HLS playlist")] : []),
  );
}

function drawScreen(screen, asset, errorMessage) {
  if (asset.status.phase !== "ready") {
    const note = document.createElement("span");
    note.className = "placeholder";
    note.textContent =
      errorMessage ?? (asset.status.phase === "processing" ? "Reading the video" : "No content yet");
    return screen.replaceChildren(note);
  }
  screen.replaceChildren(makePlayer(asset.downloadUrl, asset.name));
}

function makePlayer(src, name) {
  const player = document.createElement("video");
  player.controls = true;
  player.preload = "metadata";
  player.src = src;
  player.setAttribute("aria-label", name);
  return player;
}

function drawStream(row, { id, name, live, startedAt, account }) {
  setText(row.querySelector(".name"), account ? name : `${name} (no account)`);
  setText(row.querySelector(".id"), id);
  const since = live ? formatDuration((Date.now() - startedAt) / 1000) : "";
  setState(
    row.querySelector(".state"),
    live ? "live" : "idle",
    live ? `Live and recording, ${since}` : "No session",
  );
  const button = row.querySelector("button");
  button.disabled = live;
  button.setAttribute("aria-label", `Start a session of ${name}`);
  button.onclick = async () => {
    button.disabled = true;
    await ask(`streams/${encodeURIComponent(id)}/start`, { method: "POST" });
    await draw();
  };
}

function setState(element, kind, text) {
  element.dataset.kind = kind;
  setText(element, text);
}

/** What stays the same is left alone: a selection in it would be lost. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function link(href, text) {
  const anchor = document.createElement("a");
  anchor.href = href;
  anchor.textContent = text;
  return anchor;
}

function formatSize(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${(bytes / 1024 ** power).toLocaleString("en", { maximumFractionDigits: power > 1 ? 1 : 0 })} ${units[power]}`;
}

function formatDuration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** What stays as it is while the page is open. */
function drawService({ baseUrl, account, samples, connected }) {
  find("base-url").textContent = baseUrl;
  find("token").textContent = account.token;
  find("try").hidden = connected === undefined;
  find("video").textContent = connected?.video ?? "";
  find("samples").replaceChildren(
    ...samples.map((name) => {
      const card = find("sample").content.firstElementChild.cloneNode(true);
      const address = `/samples/${encodeURIComponent(name)}`;
      card.querySelector(".screen").append(makePlayer(address, name));
      card.querySelector(".name").textContent = name;
      card.querySelector("a").href = address;
      return card;
    }),
  );
}

async function watch() {
  if (!document.hidden)
    try {
      if (find("base-url").textContent === "") {
        drawService(await ask("service"));
      }
      await draw();
      find("problem").hidden = true;
    } catch {
      find("problem").hidden = false;
    }
  setTimeout(watch, 1000);
}

document.addEventListener("visibilitychange", () => void draw().catch(() => {}));
watch();
