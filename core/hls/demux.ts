/** Reads a piece: the packets of its tracks, and what their decoders need to know. */
import type { Input, InputAudioTrack, InputTrack, InputVideoTrack } from "mediabunny";
import { bytesOf } from "../source/bytes.ts";
import { takeTurns } from "../time/turn.ts";
import { boxesIn, hasZeros, headTracks, isProtected, isWholePicture, isZero, lacksSamples } from "./boxes.ts";
import {
  FORMAT_CHANGES,
  formatOf,
  type Kind,
  type ProgramStream,
  unreadIn,
  unreadInHead,
  wordsOf,
} from "./formats.ts";
import { loadMediabunny, mediabunny } from "./mediabunny.ts";
import {
  EmptyPiece,
  type FirstPiece,
  IncompletePiece,
  type Packet,
  type PieceBytes,
  type PieceReading,
  type PieceTrack,
  scanOf,
  type TrackFacts,
  UnreadablePiece,
} from "./piece.ts";
import { PROTECTED } from "./playlist.ts";
import { packedCodecOf } from "./sound-frames.ts";
import { clockFrom, extentOf, packedTrack, picturesOf, soundOf } from "./stream-packets.ts";
import {
  beginningOfStream,
  countersOf,
  elementaryOf,
  isUnbroken,
  programOf,
  type Scan,
  startOfTs,
  TS_PACKET,
  TS_START,
  tablesOf,
} from "./transport-stream.ts";

const CUT_OFF = "it ends before its samples do";
const UNKNOWN = "it can't be read";
const NOTHING = "nothing is in it";
/** Bytes of a sample of zeros that is none: one of silence may be a byte. */
const LEAST_SAMPLE = 8;

/** Finding one takes about a millisecond, for which a request that is sent meanwhile waits. */
const PACKETS_PER_TURN = 8;

export class Demuxer {
  #init: { bytes: Uint8Array; input: Input } | undefined;
  /** True once a piece that came again had the same zeros within sound. */
  #hasZeros = false;

  /**
   * @param types the tracks that are wanted; others may be in any format
   * @throws {UnreadablePiece} where it is no video, or one that can't be put into an MP4 as it is
   */
  async read(piece: PieceBytes, types: readonly Kind[], how: PieceReading = {}): Promise<PieceTrack[]> {
    await loadMediabunny();
    const { bytes, init } = piece;
    if (startOfTs(bytes) !== undefined) return await this.#readTs(piece, types, how);
    const packed = how.first?.packed ?? packedCodecOf(bytes);
    if (packed !== undefined) return types.includes("audio") ? await packedTrack(bytes, packed, how) : [];
    // The reader of MP4 leaves out without a word all that is cut off.
    if (lacksSamples(bytes)) throw new IncompletePiece(CUT_OFF);
    checkHead(init ?? bytes, types);
    const found = await this.#tracksIn(bytes, types, how, init);
    if (how.first?.hasParameters) for (const track of found) putParameters(track);
    const holdsAny = [...boxesIn(bytes)].some(({ type }) => type === "moof" || type === "moov");
    if (found.length === 0 && !holdsAny) throw new EmptyPiece(NOTHING);
    return found;
  }

  async #readTs(piece: PieceBytes, types: readonly Kind[], how: PieceReading): Promise<PieceTrack[]> {
    const { bytes, init } = piece;
    const { first } = how;
    const cut = (bytes.length - (startOfTs(bytes) ?? 0)) % TS_PACKET;
    if (cut > 0 && bytes[bytes.length - cut] === TS_START) throw new IncompletePiece(CUT_OFF);
    const scan = scanOf(piece);
    const own = tablesOf(bytes, scan);
    // Tables may come by themselves, as an init.
    const tables = own ?? first?.tables ?? (init && tablesOf(init));
    if (tables === undefined) throw new IncompletePiece(UNKNOWN);
    const unread = unreadIn(tables.streams, types, (number) => beginningOfStream(bytes, scan, number));
    if (unread !== undefined) throw new UnreadablePiece(`${unread}, which isn't read from MPEG-TS`);
    const isWantedLater = own?.later.some((stream) => types.some((type) => type === formatOf(stream)?.[0]));
    if (isWantedLater) throw new UnreadablePiece(FORMAT_CHANGES);
    const facts = countersOf(scan, tables);
    if (facts.some(({ isEncrypted }) => isEncrypted))
      throw new UnreadablePiece(PROTECTED.message, PROTECTED.code);
    if (!isUnbroken(scan, facts)) throw new IncompletePiece("packets of it are missing");
    if (facts.length === 0) throw new EmptyPiece(NOTHING);
    const tracks: PieceTrack[] = [];
    let clock: ReturnType<typeof clockFrom> | undefined;
    for (const stream of tables.streams) {
      const [type, , codec] = formatOf(stream) ?? [];
      const content = elementaryOf(bytes, scan, stream.number);
      if (type === undefined || codec === undefined || content === undefined || !types.includes(type))
        continue;
      clock ??= clockFrom(content.begins);
      const isPictures = codec === "avc" || codec === "hevc";
      const ofStream = { number: stream.number, content, clock, how };
      const packets = isPictures ? await picturesOf(ofStream, codec) : await soundOf(ofStream, codec);
      if (packets.length === 0) continue;
      const isTold = first !== undefined || !(isPictures || codec === "dts");
      const config = isTold ? (packets[0]?.config ?? { codec }) : await this.#configOf(bytes, scan, stream);
      const track = { number: stream.number, type, codec, config, isRelative: false };
      tracks.push({ ...track, ...extentOf(packets) } as PieceTrack);
    }
    return tracks;
  }

  /** The configuration of a decoder, for a stream that doesn't tell it with each frame. */
  async #configOf(bytes: Uint8Array, scan: Scan, stream: ProgramStream): Promise<PieceTrack["config"]> {
    const input = this.#open(programOf(bytes, scan, stream));
    try {
      const [track] = await input.getTracks();
      if (track && isWanted(track, ["video", "audio"]))
        return (await this.#facts(track, new Uint8Array(0))).config;
    } catch {
      // Messages of the package may repeat what is in the file.
    } finally {
      input.dispose();
    }
    throw new IncompletePiece(UNKNOWN);
  }

  async #tracksIn(
    bytes: Uint8Array<ArrayBuffer>,
    types: readonly Kind[],
    { isAgain = false }: PieceReading,
    init?: Uint8Array,
  ): Promise<PieceTrack[]> {
    const input = this.#open(bytes, init && this.#initInput(init));
    try {
      const tracks: PieceTrack[] = [];
      for (const track of await input.getTracks())
        if (isWanted(track, types)) tracks.push(await this.#readTrack(track, init ?? bytes, isAgain));
      return tracks.filter(({ packets }) => packets.length > 0);
    } catch (error) {
      // Messages of the package may repeat what is in the file.
      throw error instanceof UnreadablePiece ? error : new IncompletePiece(UNKNOWN);
    } finally {
      input.dispose();
    }
  }

  /** The tracks that an init announces; `undefined` where it takes a piece to know them. */
  async factsOf(init: Uint8Array, types: readonly Kind[]): Promise<TrackFacts[] | undefined> {
    if (startOfTs(init) !== undefined) return undefined;
    checkHead(init, types);
    const found: TrackFacts[] = [];
    try {
      for (const track of await this.#initInput(init).getTracks())
        if (isWanted(track, types)) found.push(await this.#facts(track, init));
    } catch {
      return undefined;
    }
    return found;
  }

  async #facts(track: InputVideoTrack | InputAudioTrack, head: Uint8Array): Promise<TrackFacts> {
    const codec = await track.getCodec();
    if (codec === null || !new mediabunny.Mp4OutputFormat().getSupportedCodecs().includes(codec))
      throw new UnreadablePiece(`${wordsOf(track.type)} in a format that MP4 doesn't hold`);
    const config = await track.getDecoderConfig();
    if (config === null) throw new UnreadablePiece(`${wordsOf(track.type)} in a form that can't be read`);
    // The codec is one of the track's own type.
    const { trak } = headTracks(head).find(({ number }) => number === track.id) ?? {};
    return { type: track.type, codec, config, trak } as TrackFacts;
  }

  async #readTrack(
    track: InputVideoTrack | InputAudioTrack,
    head: Uint8Array,
    isAgain: boolean,
  ): Promise<PieceTrack> {
    const facts = await this.#facts(track, head);
    const { codec, config } = facts;
    const sink = new mediabunny.EncodedPacketSink(track);
    const packets: Packet[] = [];
    const takeTurn = takeTurns(PACKETS_PER_TURN);
    for (
      let packet = await sink.getFirstPacket();
      packet !== null;
      packet = await sink.getNextPacket(packet)
    ) {
      packets.push(packet);
      await takeTurn();
    }
    const size = lengthSizeIn(codec, config);
    // Sound may be filled with zeros by its encoder, which come again, and tell that others do.
    const hasHole = (data: Uint8Array) => !isAgain && !this.#hasZeros && hasZeros(data);
    const isWhole = ({ data }: Packet) =>
      size === undefined
        ? codec.startsWith("pcm") || !((data.length >= LEAST_SAMPLE && isZero(data)) || hasHole(data))
        : isWholePicture(data, size);
    if (!packets.every(isWhole))
      throw new IncompletePiece(`bytes of its ${track.type === "video" ? "pictures" : "sound"} are missing`);
    this.#hasZeros ||= isAgain && size === undefined && packets.some(({ data }) => hasZeros(data));
    return { number: track.id, ...facts, ...extentOf(packets), isRelative: false } as PieceTrack;
  }

  #initInput(bytes: Uint8Array): Input {
    if (this.#init?.bytes !== bytes) this.#init = { bytes, input: this.#open(bytes) };
    return this.#init.input;
  }

  #open(bytes: Uint8Array, initInput?: Input): Input {
    const { BufferSource, Input, MP4, MPEG_TS } = mediabunny;
    const formats = [startOfTs(bytes) === undefined ? MP4 : MPEG_TS];
    return new Input({
      source: new BufferSource(bytes),
      formats,
      ...(initInput && { initInput }),
    });
  }
}

function checkHead(head: Uint8Array, types: readonly Kind[]): void {
  if (isProtected(head)) throw new UnreadablePiece(PROTECTED.message, PROTECTED.code);
  const unread = unreadInHead(head, types);
  if (unread !== undefined) throw new UnreadablePiece(`${unread}, which isn't read from MP4`);
}

/** Bytes of the length before each unit of a picture; `undefined` where none is there. */
function lengthSizeIn(codec: string, { description }: PieceTrack["config"]): number | undefined {
  const place = codec === "avc" ? 4 : codec === "hevc" ? 21 : undefined;
  if (place === undefined || description === undefined) return undefined;
  return 1 + ((bytesOf(description)[place] ?? 0) & 3);
}

function isWanted(track: InputTrack, types: readonly Kind[]): track is InputVideoTrack | InputAudioTrack {
  return (track.isVideoTrack() || track.isAudioTrack()) && types.some((type) => type === track.type);
}

/** All that two tracks must share to be parts of one. Parameters in packets, and sizes with them, may change. */
export function kindOfTrack(facts: TrackFacts, { hasParameters = false }: FirstPiece = {}): string {
  const { type, codec, config, trak } = facts;
  const { codedWidth, codedHeight } = config as VideoDecoderConfig;
  const { sampleRate, numberOfChannels } = config as AudioDecoderConfig;
  const inPackets = isMarked(facts) || (hasParameters && lengthSizeIn(codec, config) === 4);
  const size = inPackets ? [] : [codedWidth, codedHeight];
  const bytes = config.description === undefined || inPackets ? [] : [...bytesOf(config.description)];
  const place = trak === undefined ? [] : headTracks(trak).flatMap(({ matrix = [] }) => [...matrix]);
  return JSON.stringify([
    type,
    codec,
    type === "video" ? size : [sampleRate, numberOfChannels],
    bytes,
    place,
  ]);
}

/** Puts the parameters that a head tells of pictures before each that a decoder may begin with. */
function putParameters({ codec, config, packets }: PieceTrack): void {
  if (lengthSizeIn(codec, config) !== 4 || config.description === undefined) return;
  const units = parametersIn(bytesOf(config.description), codec === "hevc");
  for (const packet of packets) if (packet.type === "key") packet.runs = [...units, packet.data];
}

/** The units that a description of H.264 or H.265 holds (ISO 14496-15, 5.3.3.1 and 8.3.3.1), each behind its length. */
function parametersIn(description: Uint8Array, isHevc: boolean): Uint8Array[] {
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const units: Uint8Array[] = [];
  let at = isHevc ? 23 : 5;
  const lists = isHevc ? view.getUint8(22) : 2;
  for (let list = 0; list < lists; list++) {
    let count = isHevc ? view.getUint16(at + 1) : view.getUint8(at) & (list === 0 ? 31 : 255);
    for (at += isHevc ? 3 : 1; count > 0; count--) {
      const end = at + 2 + view.getUint16(at);
      units.push(Uint8Array.of(0, 0, ...description.subarray(at, end)));
      at = end;
    }
  }
  return units;
}

/** True for pictures that hold their parameters, and whose units are marked (Annex B of H.264 and H.265), as in MPEG-TS. */
export function isMarked({ type, codec, config }: TrackFacts): boolean {
  return type === "video" && config.description === undefined && (codec === "avc" || codec === "hevc");
}
