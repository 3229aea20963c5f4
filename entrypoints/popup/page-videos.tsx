/** The videos of the page in front: one line, below which they are chosen and handed over. */
import { batch, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isFresh, type ListedVideo } from "../page-videos/listed-video.ts";
import { lineOf } from "../page-videos/message-catalogue.ts";
import { requestHosts } from "../reach/host-permissions.ts";
import { formatNumber } from "../shared/format.ts";
import { plural, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { change, findings, lookAgain, note, spoken, takeable, videos } from "./found-videos.ts";
import { handOverVideos } from "./hand-over-videos.ts";
import { Icon, Tool } from "./icon.tsx";
import { useKeyedRows } from "./keyed-rows.tsx";
import { isResponding } from "./offscreen-connection.ts";
import { surface } from "./panel.ts";
import { VideoRow } from "./video-row.tsx";

const isOpen = signal(false);
/** Origins that were allowed, and whose frames were not entered all the same. */
const allowed = new Set<string>();
/** Sites of players that are named: a page with more shows something else than players in them. */
const MAX_NAMED = 3;

/** Has its height from the beginning: what comes later moves nothing under the mouse. */
export function PageVideosLine(): VNode | null {
  const found = findings.value;
  const page = surface === "tab" && typeof found === "object" ? found.pageTitle : undefined;
  // Where its player is still looked into, one may be.
  const hasNone = takeable.value.length === 0 && videos.value.some(({ video }) => !video.isUncertain);
  const words = hasNone ? t("found.noneTakeable") : lineOf(found, page);
  const [only, ...others] = videos.value;
  return (
    <>
      <p class="hidden-visually" aria-live="polite" id="page-videos-found">
        {spoken.value}
      </p>
      {typeof found === "string" && words !== "" && <p class="quiet">{words}</p>}
      {typeof found === "object" && (
        <button
          id="page-videos-line"
          class="plain"
          type="button"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.peek();
          }}
        >
          <span>{words}</span> <Icon name="open" />
        </button>
      )}
      {found === "stuck" && <LookAgain />}
      {only?.picked && others.length === 0 && !isOpen.value && <UploadButton words={t("found.upload")} />}
    </>
  );
}

export function PageVideos(): VNode | null {
  const found = findings.value;
  const main = useKeyedRows(
    videos.value.filter(({ isLoop }) => !isLoop),
    draw,
  );
  const loops = videos.value.filter(({ isLoop }) => isLoop);
  const loopRows = useKeyedRows(loops, draw);
  const [showsLoops, setShowsLoops] = useState(false);
  if (!isOpen.value || typeof found === "string") return null;
  return (
    <section id="page-videos" aria-label={t("found.title")}>
      <div class="bar">
        <p id="page-videos-state" class="quiet">
          {found === undefined
            ? t("found.looking")
            : found.isCut && t("found.cut", { count: formatNumber(videos.value.length) })}
        </p>
        <LookAgain />
      </div>
      {main.length > 0 && (
        <ul id="page-videos-list" aria-label={t("found.title")}>
          {main}
        </ul>
      )}
      {loops.length > 0 && (
        <details
          id="background-loops"
          open={showsLoops}
          onToggle={({ currentTarget }) => setShowsLoops(currentTarget.open)}
        >
          <summary id="background-loops-title">{plural("search.loops", loops.length)}</summary>
          <ul id="background-loops-list" aria-labelledby="background-loops-title">
            {loopRows}
          </ul>
        </details>
      )}
      {found !== undefined && <ClosedFrames origins={found.closedOrigins} />}
      <p id="page-videos-note" class="problem" role="alert">
        {note.value}
      </p>
      <Picker inSight={takeable.value.filter(({ isLoop }) => showsLoops || !isLoop)} />
    </section>
  );
}

const draw = (listed: ListedVideo) => <VideoRow key={listed.id} listed={listed} />;

function LookAgain(): VNode {
  return <Tool id="look-again" icon="again" label={t("found.lookAgain")} act={lookAgain} />;
}

function Picker({ inSight }: { inSight: readonly ListedVideo[] }): VNode | null {
  if (takeable.value.length === 0) return null;
  // All at once means: not what was uploaded already, while anything else is left.
  const fresh = inSight.filter(isFresh);
  const offered = fresh.length > 0 ? fresh : inSight;
  const picked = offered.filter((each) => each.picked).length;
  return (
    <div id="page-videos-take" class="bar">
      {inSight.length > 1 && (
        <label class="check">
          <input
            id="pick-all"
            type="checkbox"
            checked={picked > 0 && picked === offered.length}
            indeterminate={picked > 0 && picked < offered.length}
            onChange={({ currentTarget: { checked } }) =>
              batch(() => {
                for (const { id } of offered) change(id, { picked: checked });
              })
            }
          />{" "}
          <span>{t("found.selectAll")}</span>
        </label>
      )}
      <UploadButton />
    </div>
  );
}

function UploadButton({ words }: { words?: string }): VNode {
  const picked = takeable.value.filter((each) => each.picked);
  const isOff = !isResponding.value || picked.length === 0;
  return (
    <Button
      id="upload-picked"
      words={words ?? (picked.length === 0 ? t("found.upload") : plural("found.uploadPicked", picked.length))}
      // Not disabled: that would take the focus away from it.
      aria-disabled={isOff}
      act={() => isOff || handOverVideos(picked)}
    />
  );
}

/** Players of other sites that could not be searched, each with a button that asks for it. */
function ClosedFrames({ origins }: { origins: readonly string[] }): VNode | null {
  if (origins.length === 0) return null;
  const others = origins.length - MAX_NAMED;

  async function allow(origin: string): Promise<void> {
    if (!(await requestHosts([origin]))) return;
    allowed.add(origin);
    lookAgain();
  }

  return (
    <ul id="closed-frames" aria-label={t("search.players")}>
      {origins.slice(0, MAX_NAMED).map((origin, index) => {
        const { host } = new URL(origin);
        return (
          <li key={origin}>
            <p id={`frame-${index}`}>
              {t(allowed.has(origin) ? "search.playerClosed" : "search.player", { host })}
            </p>
            {!allowed.has(origin) && (
              <Button
                words={t("search.lookInside")}
                aria-describedby={`frame-${index}`}
                act={() => allow(origin)}
              />
            )}
          </li>
        );
      })}
      {others > 0 && (
        <li>
          <p class="quiet">{plural("search.morePlayers", others)}</p>
        </li>
      )}
    </ul>
  );
}
