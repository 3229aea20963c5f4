/** The records of the interface document: what is asked for, and what comes back. */

/** The rule who may play: everybody, or holders of a signature (interface document: "Playback policy"). */
export interface PlaybackPolicy {
  /** Policy kind; the document shows `webhook` and leaves other values open. */
  type?: string;
  /** Identifier of the webhook consulted for playback decisions. */
  webhookId?: string;
  /** Free-form context passed along with the webhook. */
  webhookContext?: Record<string, unknown>;
  /** Refresh interval setting of the policy, an integer. */
  refreshInterval?: number;
  /** Allowed origins. */
  allowedOrigins?: string[];
  /** In a request: further fields, passed through. */
  fields?: Record<string, unknown>;
}

/** One output rendition (interface document: "Transcode profile"). */
export interface TranscodeProfile {
  /** Profile label. */
  name?: string;
  /** Output width, an integer. */
  width?: number;
  /** Output height, an integer. */
  height?: number;
  /** Output bitrate, an integer. */
  bitrate?: number;
  /** Quality setting, an integer. */
  quality?: number;
  /** Frame rate numerator, an integer. */
  fps?: number;
  /** Frame rate denominator, an integer. */
  fpsDen?: number;
  /** Group-of-pictures setting: a string in a request, while asset records say a number. */
  gop?: string | number;
  /** Codec profile; the document shows `H264Baseline`. */
  profile?: string;
  /** Encoder; the document shows `H.264`. */
  encoder?: string;
  /** In a request: further fields, passed through. */
  fields?: Record<string, unknown>;
}

/**
 * The asset record (interface document: "Asset"), as the service sent it.
 *
 * Only `id` is certain. Every other field has its documented type unless it is listed among the mismatches of the
 * answer it came with; fields the document doesn't show are kept.
 */
export interface Asset {
  /** Asset identifier. */
  id: string;
  /** Name, as in the request. */
  name?: string;
  /** Kind of asset; the document shows `video`. */
  type?: string;
  /** Identifier used for playback. */
  playbackId?: string;
  /** Identifier of the owner. */
  userId?: string;
  /** HLS playlist location. */
  playbackUrl?: string;
  /** MP4 download location. */
  downloadUrl?: string;
  /** The rule who may play: everybody, or holders of a signature. */
  playbackPolicy?: PlaybackPolicy;
  /** Who created the asset; the document shows the type `unverified`. */
  creatorId?: { type?: string; value?: string };
  /** Output renditions applied. */
  profiles?: TranscodeProfile[];
  /** Identifier of the project that owns the asset. */
  projectId?: string;
  /** Creation timestamp, an integer. */
  createdAt?: number;
  /** Name of the token that created the asset. */
  createdByTokenName?: string;
  /** Size of the content, an integer. */
  size?: number;
  /** Digests of the content, for example of algorithm `sha256`. */
  hash?: {
    hash?: string;
    /** Algorithm; the document shows `sha256`. */
    algorithm?: string;
  }[];
  /** Where the content came from; the document shows the type `url`. */
  source?: {
    type?: string;
    url?: string;
    gatewayUrl?: string;
    encryption?: unknown;
  };
  /** State of the asset; `uploading` is the one phase the document shows. */
  status?: {
    /** Phase; the document shows `uploading` and leaves other values open. */
    phase?: string;
    /** Timestamp, an integer. */
    updatedAt?: number;
    /** How far the phase is; the document leaves the scale open. */
    progress?: number;
    /** The failure, in the service's words. */
    errorMessage?: string;
  };
  /** Where the asset is stored. */
  storage?: {
    ipfs?: {
      spec?: Record<string, unknown>;
      nftMetadata?: { cid?: string; url?: string; gatewayUrl?: string };
      updatedAt?: number;
    };
    /** State of storing; `ready` is the one phase the document shows. */
    status?: {
      phase?: string;
      tasks?: { pending?: string; last?: string; failed?: string };
      progress?: number;
      errorMessage?: string;
    };
  };
  /** Media description. */
  videoSpec?: {
    format?: string;
    duration?: number;
    bitrate?: number;
    /** Integers are `width`, `height`, `channels`, `sampleRate` and `bitDepth`. */
    tracks?: {
      type?: string;
      codec?: string;
      startTime?: number;
      duration?: number;
      bitrate?: number;
      width?: number;
      height?: number;
      pixelFormat?: string;
      fps?: number;
      channels?: number;
      sampleRate?: number;
      bitDepth?: number;
    }[];
  };
  /**
   * The fields of the record that the interface document doesn't show. They stand in the record itself too, as they came; this
   * view of them isn't part of copies, of JSON and of messages.
   */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * The answer to a request for an upload location (interface document: "Create-asset response body").
 *
 * Both locations carry a token of their own: treat them as secrets.
 */
export interface UploadLocation {
  /** Direct-upload location; absent where the service gave none that can be used, see `mismatches`. */
  url?: string;
  /** Resumable-upload (tus) location; absent where the service gave none that can be used, see `mismatches`. */
  tusEndpoint?: string;
  /** The asset as it was created. */
  asset: Asset;
  /** The task created for the asset, if the service named one. */
  task?: {
    id?: string;
  };
  /** The differences from the interface document, at most 100; empty where all is as documented. */
  mismatches: {
    /** Where, for example `asset.profiles[0].gop`. */
    path: string;
    /** The type in the document, for example `integer`. */
    expected: string;
    /** The kind of value that came, for example `string`, `null` or `nothing`. */
    found: string;
  }[];
  /** From a requester that is `repeatable`: whether it gave this location before, so that it may have been used. */
  used?: unknown;
}

/** A documented field that is missing or has another type than the document says; the value itself isn't repeated. */
export type Mismatch = UploadLocation["mismatches"][number];

export type AssetRecord = Pick<UploadLocation, "asset" | "mismatches">;
