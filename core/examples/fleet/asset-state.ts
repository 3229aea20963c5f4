/** The state of an asset in words, for who decides whether to delete it. */
import { type Client, isUpcutError } from "../../mod.ts";

export interface AssetState {
  words: string;
  /** True if the service has all of it, as far as it tells. */
  isWhole: boolean;
  /** True if the service has all of it, and could not process it. */
  hasFailed?: true;
}

export async function stateOf(client: Pick<Client, "getAsset">, id: string): Promise<AssetState> {
  try {
    const { asset } = await client.getAsset(id);
    const { phase } = asset.status ?? {};
    const hasFailed = phase === "failed";
    const isWhole = hasFailed || phase === "processing" || phase === "ready";
    return {
      isWhole,
      ...(hasFailed && { hasFailed }),
      words: `${isWhole ? "whole" : "not whole"}, phase ${JSON.stringify(phase ?? "unknown")}`,
    };
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    const isGone = error.code === "asset-not-found";
    return {
      isWhole: false,
      words: isGone ? "the service doesn't know it" : `state unknown: ${error.message}`,
    };
  }
}
