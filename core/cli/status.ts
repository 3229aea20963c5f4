/** The state of assets: the command `status`, and `upload --wait`. */
import type { Client } from "../client.ts";
import { isUpcutError } from "../errors/errors.ts";
import { excerpt, redact } from "../redaction/redaction.ts";
import type { Asset } from "../service/asset.ts";
import { secretsOf } from "../service/requester.ts";
import { changeOf, watchAsset } from "../watch-asset.ts";
import type { Arguments } from "./arguments.ts";
import { linesOfInput, TOO_LONG, wordOf } from "./input.ts";
import { printFailure, printResult } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import type { Screen } from "./screen.ts";
import { stopsAll } from "./stop.ts";
import type { ShownUpload } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Makes sure that assets can be read. @throws {UsageError} */
export function checkAssetPath({ readsAssets }: Client, option: string): void {
  if (readsAssets) return;
  throw new UsageError(
    `${option} needs a call of the service that reads an asset: set UPCUT_ASSET_PATH, such as /api/asset/{id}`,
  );
}

export async function runStatus(
  account: Client,
  { operands, json }: Arguments,
  signal: AbortSignal,
): Promise<number> {
  let failed = 0;
  for await (const id of idsOf(operands)) {
    try {
      const state = await readAssetState(account, id, signal);
      if (state.phase === "failed") failed++;
      printResult(json, { event: "status", assetId: id, ...state }, `${id}  ${inWords(state)}`);
    } catch (error) {
      signal.throwIfAborted();
      if (!isUpcutError(error) || stopsAll(error)) throw error;
      failed++;
      printFailure(json, error, `${id}  ${inOwnOptions(error.message)}`, { assetId: id });
    }
  }
  return failed > 0 ? 1 : 0;
}

async function* idsOf(operands: string[]): AsyncGenerator<string, undefined> {
  for (const operand of operands) {
    if (operand !== "-") yield operand;
    else
      for await (const { text } of linesOfInput()) {
        if (text === undefined) throw new UsageError(TOO_LONG);
        const id = wordOf(text);
        if (id !== undefined) yield id;
      }
  }
}

/** Waits until an asset that has all its bytes is ready, and says so or why it isn't. @returns whether it is */
export async function waitUntilReady(
  account: Client,
  { label, number }: ShownUpload,
  { id }: Asset,
  screen: Screen,
  signal: AbortSignal,
): Promise<boolean> {
  const facts = { source: label, number, assetId: excerpt(id, secretsOf(account)) };
  let state: AssetState | undefined;
  try {
    for await (const change of watchAsset(account, id, { signal })) state = stateOf(account, change);
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpcutError(error)) throw error;
    screen.warn(
      "unknown-state",
      `Uploaded, but its state is unknown ${label}: ${inOwnOptions(error.message)}`,
      facts,
    );
    return false;
  }
  if (state?.phase === "ready") {
    screen.say("ready", `Ready ${label}: asset ${facts.assetId}`, facts);
    return true;
  }
  const verb = state?.phase === "failed" ? "has" : "is";
  screen.warn("not-ready", `Not ready ${label}: asset ${facts.assetId} ${verb} ${inWords(state)}`, {
    ...facts,
    ...state,
  });
  return false;
}

export interface AssetState {
  phase: string | undefined;
  progress: number | undefined;
  reason?: string;
}

export async function readAssetState(account: Client, id: string, signal: AbortSignal): Promise<AssetState> {
  return stateOf(account, changeOf(await account.getAsset(id, { signal })));
}

function stateOf(account: Client, { phase, progress, asset }: ReturnType<typeof changeOf>): AssetState {
  const reason: unknown = asset.status?.errorMessage;
  const secrets = secretsOf(account);
  return {
    phase: phase && excerpt(phase, secrets),
    progress: phase === "ready" ? undefined : progress,
    ...(phase === "failed" && typeof reason === "string" && { reason: redact(reason, secrets) }),
  };
}

export function inWords(state: AssetState | undefined): string {
  if (state?.phase === undefined) return "in a state that the service doesn't tell";
  const { phase, progress, reason } = state;
  const part = progress === undefined ? "" : ` ${Math.floor(100 * progress)} %`;
  return `${phase}${part}${reason ? `: ${reason}` : ""}`;
}
