/** The account's service and its upload host, which behave as they were measured: limits, refusals, and their words. */
import type { Sender } from "./network.ts";
import type { Plan } from "./plan.ts";
import type { Content } from "./source.ts";
import { type StoreTraits, Storing, Upload } from "./store.ts";
import type { Random, World } from "./world.ts";

export const BASE = "https://video.example";
const UPLOADS = "https://upload.example/api/asset/upload";
/** A host that nobody named: it is where redirects lead. */
export const ELSEWHERE = "https://elsewhere.example";

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  text?: string;
}

/** A request as its host sees it. */
export interface Incoming {
  readonly sender: Sender;
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly size: number;
  readonly text: string;
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
  madeFor: Sender;
  madeAt: number;
  token: string;
  path: string;
  wholeAt?: number;
  resumable?: Upload;
  direct?: Upload;
}

const LONGEST_REQUEST = 300_000;
const DAY = 86_400_000;
const PLAIN: StoreTraits = { name: "plain", partSize: 0, overtakes: false, locks: false };
const USED_UP = { status: 422, text: '{"errors":["asset has already been uploaded"]}' };
const NOT_FOUND = { status: 404, text: "The file for this url was not found\n" };
const NO_SUCH_UPLOAD = { status: 500, text: "The specified upload does not exist" };

export class Hosts {
  readonly assets: Asset[] = [];
  readonly token: string;
  /** Texts that nobody may be told. */
  readonly secrets: string[];
  readonly traits: StoreTraits;
  /** True while the store behind the upload host is away. */
  isAway = false;
  /** How often putting parts together fails, and how often who asks for it is told that there is no upload. */
  joinsThatFail = 0;
  joinsMissed = 0;
  /** Parts that the store loses. */
  partsLost = 0;
  /** Milliseconds for which other replicas tell an older offset, at most. */
  staleFor = 0;
  /** What the next requests for locations meet. */
  refusals: string[] = [];
  #downUntil = 0;
  /** Share of the longest time that anything takes at least. */
  readonly #least: number;
  readonly #world: World;
  readonly #random: Random;
  readonly #versionsOf: (name: string) => readonly Content[];

  constructor(
    world: World,
    { store, isSlow }: Pick<Plan, "store" | "isSlow">,
    versionsOf: (name: string) => readonly Content[],
  ) {
    this.#world = world;
    this.#random = world.random("hosts");
    this.traits = store;
    this.#least = isSlow ? 0.3 : 0.001;
    this.#versionsOf = versionsOf;
    const { pick, word, next } = this.#random;
    const uuid = `${"x".repeat(8)}-xxxx-xxxx-xxxx-${"x".repeat(12)}`;
    const hex = () => Math.floor(16 * next()).toString(16);
    // Long words that nobody would read are left out in any case.
    this.token = pick([`token${word(30)}`, word(18), uuid.replaceAll("x", hex)]);
    this.secrets = [this.token];
  }

  wholeOf({ resumable, direct }: Asset): Content | undefined {
    return resumable?.whole() ?? direct?.whole();
  }

  /** Stores of parts forget what was not put together within a day. */
  sweep() {
    for (const { id, resumable } of this.assets) {
      if (resumable === undefined || resumable.object !== undefined || this.traits.partSize === 0) continue;
      if (this.#world.now - resumable.begunAt < DAY) continue;
      resumable.isSwept = true;
      this.#world.tell(`the store sweeps the parts of ${id}`);
    }
  }

  handle(incoming: Incoming) {
    const { url, headers, method, close, answer } = incoming;
    if (url.origin === ELSEWHERE) return this.#world.accuse("something was sent to a host that nobody named");
    if (url.origin === BASE)
      return this.#soon(() => (method === "GET" ? this.#read(incoming) : this.#makeAsset(incoming)));
    if (headers.has("authorization")) this.#world.accuse("the upload host was sent the account's token");
    if (this.#world.now < this.#downUntil) return close();
    const asset = this.assets.find(({ token, path }) => url.href.endsWith(token) || url.href.endsWith(path));
    if (asset === undefined) return answer({ status: 403, text: "invalid upload token" });
    const { resumable } = asset;
    if (method === "PUT") return this.#put(incoming, asset);
    if (method === "POST") return this.#soon(() => this.#create(incoming, asset));
    if (resumable === undefined || resumable.isGone) return this.#soon(() => answer(NOT_FOUND));
    if (method === "PATCH") return this.#patch(incoming, asset, resumable);
    this.#inTurn(resumable, (release) => {
      release();
      if (this.isAway) answer(NOT_FOUND);
      else if (method === "HEAD") answer({ status: 200, headers: this.#told(resumable) });
      else this.#delete(incoming, resumable);
    });
  }

  readonly #soon = (run: () => void, longest = 800) =>
    this.#world.after(longest * this.#random.spread(this.#least, 1), run);

  /** Stores with a lock end the request before, and wait until what it brought is stored. */
  #inTurn(upload: Upload, run: (release: () => void) => void) {
    if (!this.traits.locks) return this.#soon(() => run(() => {}), 100);
    const { free, interrupt } = upload;
    interrupt();
    upload.free = new Promise((release) => {
      free.then(() => this.#soon(() => run(release), 100));
    });
  }

  #makeAsset({ sender, headers, text, answer }: Incoming) {
    const refuse = (status: number, error: string, more = {}) =>
      answer({
        status,
        text: JSON.stringify({ errors: [error] }),
        headers: { "content-type": "application/json", ...more },
      });
    const authorization = headers.get("authorization");
    if (authorization !== `Bearer ${this.token}`) return refuse(401, `no token ${authorization} found`);
    const refusal = this.refusals.shift();
    if (refusal !== undefined) this.#world.meet(refusal);
    if (refusal === "asked too often") return refuse(429, "too many", { "retry-after": "2" });
    // Some services repeat what they were sent.
    const failure = `failed at ${this.token}`;
    if (refusal === "service failed") return refuse(500, failure);
    const { name } = JSON.parse(text) as { name: string };
    const id = `asset-${this.assets.length + 1}`;
    const [token, secret] = [this.#random.word(this.#random.pick([20, 60])), this.#random.word(20)];
    const path = `/directUpload%2F${secret}`;
    this.assets.push({ id, name, madeFor: sender, madeAt: this.#world.now, token, path });
    this.secrets.push(token, secret);
    this.#world.tell(`the service makes ${id} of ${name}`);
    if (refusal === "service failed after it") return refuse(500, failure);
    const asset = { id, name, status: { phase: "uploading" } };
    const [url, tusEndpoint] = ["direct", "tus"].map((way) => `${UPLOADS}/${way}?token=${token}`);
    answer({ status: 200, text: JSON.stringify({ url, tusEndpoint, asset, task: { id: `task-${id}` } }) });
  }

  #read({ url, answer }: Incoming) {
    const asset = this.assets.find(({ id }) => url.pathname.endsWith(`/${id}`));
    const whole = asset && this.wholeOf(asset);
    const hash = [{ algorithm: "sha256", hash: whole?.hash() ?? "0".repeat(64) }];
    const stored = asset?.wholeAt === undefined ? { phase: "uploading" } : { phase: "ready" };
    const facts = stored.phase === "ready" && { size: whole?.size ?? 1, hash };
    answer({ status: 200, text: JSON.stringify({ id: asset?.id, status: stored, ...facts }) });
  }

  #put(incoming: Incoming, asset: Asset) {
    const { answer, close, size } = incoming;
    if (asset.wholeAt !== undefined) return answer(USED_UP);
    const upload = new Upload(size, this.#versionsOf(asset.name));
    const how = { random: this.#random, traits: PLAIN, upload, soon: this.#soon };
    const storing = new Storing({ ...how, trouble: () => this.isAway, release() {} }, 0);
    incoming.onBytes = (bytes) => storing.take(bytes);
    incoming.onEnd = () =>
      storing.ended((end) => {
        if (end === undefined) {
          // Some services crash at a body that their store can't take.
          this.#downUntil = this.#world.now + 2_000;
          return close();
        }
        if (asset.wholeAt !== undefined) return answer(USED_UP);
        Object.assign(asset, { direct: upload, wholeAt: this.#world.now });
        answer({ status: 200 });
      });
  }

  #create({ headers, answer }: Incoming, asset: Asset) {
    if (asset.wholeAt !== undefined) return answer(USED_UP);
    if (asset.resumable?.isGone) return answer({ status: 404, text: '{"errors":["asset not found"]}' });
    if (this.isAway) return answer({ status: 500, text: `Something went wrong at ${asset.token}` });
    // A store of bytes goes on where it was, one of parts begins again.
    if (asset.resumable === undefined || this.traits.partSize > 0) {
      const length = headers.get("upload-length");
      asset.resumable = new Upload(
        length === null ? undefined : Number(length),
        this.#versionsOf(asset.name),
      );
      asset.resumable.begunAt = this.#world.now;
    }
    answer({ status: 201, headers: { location: `${UPLOADS}/tus${asset.path}` } });
  }

  #told(upload: Upload): Record<string, string> {
    const { size, stale = upload.offset(this.traits) } = upload;
    return { "upload-offset": `${stale}`, ...(size !== undefined && { "upload-length": `${size}` }) };
  }

  #delete({ answer }: Incoming, upload: Upload) {
    if (upload.object === undefined && !upload.isSwept) upload.isGone = true;
    else if (this.traits.partSize > 0) return answer({ status: 500, text: "NoSuchUpload" });
    else this.#world.accuse("a file was deleted, which was whole");
    answer({ status: 204 });
  }

  /** Two looks, between which a part may land (B): first the offset is compared, and later the parts are listed. */
  #patch(incoming: Incoming, asset: Asset, upload: Upload) {
    const { answer, headers } = incoming;
    const { traits } = this;
    const start = Number(headers.get("upload-offset"));
    const early: Uint8Array[] = [];
    let storing: Storing | undefined;
    let ending: "ended" | "broke" | undefined;
    const end = (how: typeof ending) => {
      ending ??= how;
      if (storing === undefined || ending !== how) return;
      if (ending === "broke") return storing.broke();
      const before = upload.offset(traits);
      storing.ended((offset) => {
        // The server passes on what its store said.
        if (offset === undefined)
          return answer({ status: 500, text: `Something went wrong at ${asset.path}: internal error` });
        if (this.staleFor > 0) {
          upload.stale = before;
          this.#soon(() => (upload.stale = undefined), this.staleFor);
        }
        if (upload.object !== undefined) asset.wholeAt ??= this.#world.now;
        answer({ status: 204, headers: { "upload-offset": `${offset}` } });
      });
    };
    incoming.onBytes = (bytes) => (storing === undefined ? early.push(bytes) : storing.take(bytes));
    incoming.onEnd = () => end("ended");
    incoming.onBreak = () => end("broke");
    this.#world.after(LONGEST_REQUEST, () => {
      if (ending !== undefined) return;
      answer({ status: 408, text: "request timeout" });
      end("broke");
    });
    this.#inTurn(upload, (release) => {
      const refuse = (refusal: Answer) => {
        release();
        answer(refusal);
      };
      const isJoin = start === upload.size && upload.object === undefined;
      if (this.isAway || (isJoin && this.joinsMissed > 0 && this.joinsMissed-- > 0)) return refuse(NOT_FOUND);
      if (upload.offset(traits) !== start) return refuse({ status: 409, text: "Upload-Offset conflict\n" });
      if (upload.object !== undefined || upload.isSwept) return refuse(NO_SUCH_UPLOAD);
      const length = headers.get("upload-length");
      if (length !== null) upload.size ??= Number(length);
      this.#soon(() => {
        const trouble = (isJoin: boolean) => {
          if (isJoin) return this.isAway || (this.joinsThatFail > 0 && this.joinsThatFail-- > 0);
          return this.isAway || (this.partsLost > 0 && this.partsLost-- > 0);
        };
        const place = { random: this.#random, traits, upload, soon: this.#soon };
        storing = new Storing({ ...place, trouble, release }, start);
        for (const bytes of early) storing.take(bytes);
        if (ending !== undefined) end(ending);
      }, 300);
    });
    upload.interrupt = () => end("broke");
  }
}
