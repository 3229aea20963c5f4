/** The account's service and its upload host, which behave as they were measured (limits, refusals, words). */

import type { Content } from "./source.ts";
import { type StoreTraits, Storing, Upload } from "./store.ts";
import type { Random, World } from "./world.ts";

export const BASE = "https://video.example";
export const UPLOADS = "https://upload.example";
/** A host that nobody named: it is where redirects lead. */
export const ELSEWHERE = "https://elsewhere.example";

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  text?: string;
}

/** A request as its host sees it. */
export interface Incoming {
  method: string;
  url: URL;
  headers: Headers;
  text: string;
  onBytes: (bytes: Uint8Array) => void;
  onEnd: () => void;
  onBreak: () => void;
  answer: (answer: Answer) => void;
  /** Closes the connection without an answer. */
  close: () => void;
}

export interface Asset {
  id: string;
  name: string;
  token: string;
  uploadPath: string;
  madeAt: number;
  wholeAt: number | undefined;
  resumable: Upload | undefined;
  direct: Upload | undefined;
}

const TUS = /^\/api\/asset\/upload\/tus$/;
const LONGEST_REQUEST = 300_000;
const DAY = 86_400_000;

export class Hosts {
  readonly assets: Asset[] = [];
  readonly token: string;
  /** Texts that nobody may be told. */
  readonly secrets: string[];
  /** True while the store behind the upload host is away. */
  isAway = false;
  /** How often putting parts together fails. */
  joinsThatFail = 0;
  /** For how long other replicas tell an older offset. */
  staleFor = 0;
  downUntil = 0;
  /** What the next requests for locations meet. */
  readonly refusals: ("limit" | "failure" | "failure after it")[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly traits: StoreTraits;
  readonly #versionsOf: (name: string) => readonly Content[];

  constructor(world: World, traits: StoreTraits, versionsOf: (name: string) => readonly Content[]) {
    this.#world = world;
    this.#random = world.random("hosts");
    this.traits = traits;
    this.#versionsOf = versionsOf;
    this.token = `tok${this.#random.word(30)}`;
    this.secrets = [this.token];
  }

  assetsOf(name: string): Asset[] {
    return this.assets.filter((asset) => asset.name === name);
  }

  wholeOf({ resumable, direct }: Asset): Content | undefined {
    return resumable?.whole() ?? direct?.whole();
  }

  /** Stores forget what was not put together within some days. */
  sweep() {
    for (const { resumable } of this.assets) {
      if (resumable === undefined || resumable.object !== undefined || this.traits.partSize === 0) continue;
      if (this.#world.now - resumable.touchedAt < DAY || resumable.isSwept) continue;
      resumable.isSwept = true;
      resumable.parts.clear();
      this.#world.met.add("parts swept");
      this.#world.tell(`the store sweeps the parts of ${resumable.assetId}`);
    }
  }

  handle(incoming: Incoming) {
    const { url, headers } = incoming;
    const isAuthorized = headers.has("authorization");
    if (url.origin === ELSEWHERE) return this.#world.accuse("something was sent to a host that nobody named");
    if (url.origin === BASE) return this.#account(incoming);
    if (isAuthorized) this.#world.accuse("the upload host was sent the account's token");
    if (this.#world.now < this.downUntil) return incoming.close();
    if (incoming.method === "PUT") this.#put(incoming);
    else this.#tus(incoming);
  }

  #soon(run: () => void, longest = 800) {
    this.#world.after(this.#random.spread(1, longest), run);
  }

  #account({ method, url, headers, text, answer }: Incoming) {
    const json = (status: number, body: unknown, more = {}) =>
      answer({
        status,
        text: JSON.stringify(body),
        headers: { "content-type": "application/json", ...more },
      });
    this.#soon(() => {
      if (headers.get("authorization") !== `Bearer ${this.token}`)
        return json(401, { errors: [`no token ${headers.get("authorization")} found`] });
      if (method === "GET") return this.#read(url, json);
      const refusal = this.refusals.shift();
      if (refusal === "limit") return json(429, { errors: ["too many"] }, { "retry-after": "2" });
      if (refusal === "failure") return json(500, { errors: ["failed"] });
      const asset = this.#make(JSON.parse(text).name);
      if (refusal === "failure after it") return json(500, { errors: ["failed"] });
      const { id, name, token } = asset;
      json(200, {
        url: `${UPLOADS}/api/asset/upload/direct?token=${token}`,
        tusEndpoint: `${UPLOADS}/api/asset/upload/tus?token=${token}`,
        asset: { id, name, status: { phase: "uploading", updatedAt: this.#world.now } },
        task: { id: `task-${id}` },
      });
    });
  }

  #make(name: string): Asset {
    const id = `asset-${this.assets.length + 1}`;
    const uploadId = `up${this.#random.word(26)}`;
    const asset: Asset = {
      ...{ id, name, token: `eyJ${this.#random.word(60)}`, uploadPath: `directUpload%2F${uploadId}` },
      ...{ madeAt: this.#world.now, wholeAt: undefined, resumable: undefined, direct: undefined },
    };
    this.assets.push(asset);
    this.secrets.push(asset.token, uploadId);
    this.#world.tell(`the service makes ${id} of ${name}`);
    return asset;
  }

  #read(url: URL, json: (status: number, body: unknown) => void) {
    const asset = this.assets.find(({ id }) => url.pathname.endsWith(`/${id}`));
    if (asset === undefined) return json(404, { errors: ["Asset not found"] });
    const isReady = asset.wholeAt !== undefined && this.#world.now - asset.wholeAt > 3_000;
    const phase = isReady ? "ready" : asset.wholeAt === undefined ? "uploading" : "processing";
    const whole = this.wholeOf(asset);
    const stored = isReady && {
      size: whole?.size ?? 1,
      hash: [{ algorithm: "sha256", hash: whole?.hash() ?? "0".repeat(64) }],
    };
    json(200, { id: asset.id, name: asset.name, status: { phase }, ...stored });
  }

  #put(incoming: Incoming) {
    const { url, answer, close, headers } = incoming;
    const asset = this.assets.find(({ token }) => token === url.searchParams.get("token"));
    if (asset === undefined) return answer({ status: 403, text: "invalid upload token" });
    const isUsed = () => asset.wholeAt !== undefined;
    if (isUsed()) return answer({ status: 422, text: '{"errors":["asset has already been uploaded"]}' });
    const size = Number(headers.get("content-length") ?? incoming.headers.get("x-size"));
    const stored = new Upload(asset.id, size, this.#versionsOf(asset.name));
    const traits = { partSize: 0, overtakes: false, keepsRest: false };
    const storing = new Storing({ ...this.#place(stored), traits, trouble: () => this.isAway }, 0);
    incoming.onBytes = (bytes) => storing.take(bytes);
    incoming.onEnd = () =>
      storing.ended((end) => {
        // Some services crash at a body that their store can't take.
        if (end === undefined) {
          this.downUntil = this.#world.now + 2_000;
          return close();
        }
        if (isUsed()) return answer({ status: 422, text: '{"errors":["asset has already been uploaded"]}' });
        asset.direct = stored;
        asset.wholeAt = this.#world.now;
        answer({ status: 200 });
      });
  }

  #place(upload: Upload) {
    return { world: this.#world, random: this.#random, upload };
  }

  #tus(incoming: Incoming) {
    const { method, url, answer } = incoming;
    if (method === "POST") return this.#soon(() => this.#create(incoming));
    const asset = this.assets.find(({ uploadPath }) => url.pathname.endsWith(`/${uploadPath}`));
    const upload = asset?.resumable;
    const missing = () => answer({ status: 404, text: "The file for this url was not found\n" });
    if (asset === undefined || upload === undefined || upload.isGone) return this.#soon(missing);
    if (method === "PATCH") return this.#patch(incoming, asset, upload);
    this.#soon(() => {
      if (this.isAway) return missing();
      if (method === "HEAD") return this.#head(upload, answer);
      // Of what is whole it would take the bytes.
      if (upload.object !== undefined || upload.isSwept) {
        if (this.traits.partSize > 0) return answer({ status: 500, text: "NoSuchUpload" });
        this.#world.accuse(`the file of ${asset.id} was deleted, which was whole`);
      }
      upload.isGone = true;
      answer({ status: 204 });
    });
  }

  #create({ url, headers, answer }: Incoming) {
    if (!TUS.test(url.pathname)) return answer({ status: 404 });
    const asset = this.assets.find(({ token }) => token === url.searchParams.get("token"));
    if (asset === undefined) return answer({ status: 403, text: "invalid upload token" });
    if (asset.wholeAt !== undefined)
      return answer({ status: 422, text: '{"errors":["asset has already been uploaded"]}' });
    if (asset.resumable?.isGone) return answer({ status: 404, text: '{"errors":["asset not found"]}' });
    if (this.isAway) return answer({ status: 500, text: "Something went wrong" });
    const length = headers.get("upload-length");
    // A store of bytes goes on where it was, one of parts begins again.
    if (asset.resumable === undefined || this.traits.partSize > 0) {
      const size = length === null ? undefined : Number(length);
      asset.resumable = new Upload(asset.id, size, this.#versionsOf(asset.name));
      asset.resumable.touchedAt = this.#world.now;
    }
    const location = `${UPLOADS}/api/asset/upload/tus/${asset.uploadPath}`;
    answer({ status: 201, headers: { location } });
  }

  #head(upload: Upload, answer: (answer: Answer) => void) {
    const offset = upload.offset(this.traits);
    const { stale, size } = upload;
    const told = stale !== undefined && this.#world.now < stale.until ? stale.offset : offset;
    if (told !== offset) this.#world.met.add("stale offset");
    const length = size === undefined ? {} : { "upload-length": `${size}` };
    answer({ status: 200, headers: { "upload-offset": `${told}`, ...length, "cache-control": "no-store" } });
  }

  /** Two looks, between which a part may land (B): the offset is compared, and later the parts are listed. */
  #patch(incoming: Incoming, asset: Asset, upload: Upload) {
    const { answer, headers } = incoming;
    const start = Number(headers.get("upload-offset"));
    const early: Uint8Array[] = [];
    let storing: Storing | undefined;
    let ending: "ended" | "broke" | undefined;
    const isLate = () => answer({ status: 408, text: "request timeout" });
    const forget = this.#world.after(LONGEST_REQUEST, () => {
      isLate();
      incoming.onBreak();
    });
    const end = (how: "ended" | "broke") => {
      if (ending !== undefined) return;
      forget();
      ending = how;
      if (storing !== undefined) this.#store(storing, how, incoming, asset, upload);
    };
    incoming.onBytes = (bytes) => (storing === undefined ? early.push(bytes) : storing.take(bytes));
    incoming.onEnd = () => end("ended");
    incoming.onBreak = () => end("broke");
    this.#soon(() => {
      if (this.isAway) return answer({ status: 404, text: "The file for this url was not found\n" });
      const offset = upload.offset(this.traits);
      if (offset !== start) return answer({ status: 409, text: "Upload-Offset conflict\n" });
      if (upload.object !== undefined || upload.isSwept)
        return answer({ status: 500, text: "The specified upload does not exist" });
      const length = headers.get("upload-length");
      if (length !== null) upload.size ??= Number(length);
      this.#soon(() => {
        const trouble = () => {
          if (this.joinsThatFail === 0 || sizeSoFar() !== upload.size) return this.isAway;
          this.joinsThatFail--;
          this.#world.met.add("joining failed");
          return true;
        };
        const sizeSoFar = () => upload.offset(this.traits);
        storing = new Storing({ ...this.#place(upload), traits: this.traits, trouble }, start);
        for (const bytes of early) storing.take(bytes);
        if (ending !== undefined) this.#store(storing, ending, incoming, asset, upload);
      }, 100);
    }, 100);
  }

  #store(storing: Storing, how: "ended" | "broke", { answer }: Incoming, asset: Asset, upload: Upload) {
    if (how === "broke") return storing.broke();
    const before = upload.offset(this.traits);
    storing.ended((offset) => {
      if (this.staleFor > 0)
        upload.stale = { offset: before, until: this.#world.now + this.#random.next() * this.staleFor };
      if (offset === undefined) return answer({ status: 500, text: "Something went wrong" });
      if (upload.object !== undefined) asset.wholeAt ??= this.#world.now;
      answer({ status: 204, headers: { "upload-offset": `${offset}` } });
    });
  }
}
