/** Asks what the service says of uploaded videos, since the token is nowhere else, and tells it once it is known. */

import { redact } from "../../core/extension.ts";
import type { Asset } from "../../core/mod.ts";
import { failureOf } from "../shared/fault.ts";
import type { Ends } from "../shared/job.ts";
import type { BackgroundProtocol } from "../shared/messages.ts";
import { readAccount, readManaged, readSettings } from "../shared/settings.ts";
import { plural, t } from "../shared/translate.ts";
import { openClient } from "./account.ts";
import { notify, rememberNotified } from "./notifications.ts";

/** No reason or address that helps anybody is longer. */
const LONGEST_TEXT = 2_000;
const LINKS = ["playbackId", "playbackUrl", "downloadUrl"] as const;
/** No record names its content by more algorithms. */
const MOST_HASHES = 20;

export async function readAsset({
  address,
  id,
}: BackgroundProtocol["read-asset"]["request"]): Promise<BackgroundProtocol["read-asset"]["response"]> {
  try {
    await readManaged();
    const account = await readAccount();
    // Another account's token is none of this asset's.
    if (account.settings.address !== address) return null;
    const client = await openClient(account);
    const { asset } = await client.getAsset(id);
    return { asset: usedPart(asset, account.token) };
  } catch (error) {
    return { error: failureOf(error) };
  }
}

/** The rest of a record, which may be large and hold anything, is of no use here. */
function usedPart(asset: Asset, token: string): Asset {
  const { phase, progress, updatedAt, errorMessage } = (asset.status ?? {}) as Record<string, unknown>;
  const reason = typeof errorMessage === "string" ? redact(errorMessage, [token]) : "";
  const links = LINKS.map((name) => [name, asset[name]]).filter(([, value]) => isShort(value));
  const status = {
    ...(isShort(phase) && { phase }),
    ...(typeof progress === "number" && { progress }),
    ...(typeof updatedAt === "number" && { updatedAt }),
    ...(reason !== "" && { errorMessage: reason.slice(0, LONGEST_TEXT) }),
  };
  const { size } = asset;
  return {
    ...Object.fromEntries(links),
    id: asset.id,
    status,
    ...(typeof size === "number" && { size, hash: hashesOf(asset) }),
  };
}

function hashesOf({ hash }: Asset): NonNullable<Asset["hash"]> {
  const named: unknown[] = Array.isArray(hash) ? hash.slice(0, MOST_HASHES) : [];
  return named.flatMap((each) => {
    const { hash, algorithm } = (each ?? {}) as Record<string, unknown>;
    return isShort(hash) && isShort(algorithm) ? [{ hash, algorithm }] : [];
  });
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_TEXT;
}

/** One notification, which the next one replaces. A click on it opens the list there. */
export async function notifyOfProcessed({ done, failed, last }: Ends): Promise<void> {
  if (!(await readSettings()).notifyReady) return;
  const { name } = last;
  await rememberNotified(last.jobId);
  if (failed > 0)
    return await notify(
      "upload",
      t("notification.failed", { name }),
      done > 0 ? plural("list.ready", done) : t("notification.failedHint"),
    );
  await notify(
    "upload",
    done > 1 ? plural("list.ready", done) : t("notification.ready", { name }),
    t("notification.readyHint"),
  );
}
