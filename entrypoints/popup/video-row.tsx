/** A video of the page in the list. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { chosenQuality, isTakeable, type ListedVideo } from "../page-videos/listed-video.ts";
import {
  facts,
  foreignHost,
  KNOWN_KEYS,
  kindLabel,
  reasonKey,
  tracksLeftOut,
  VIDEO_PROBLEM_KEYS,
} from "../page-videos/message-catalogue.ts";
import type { PageVideo } from "../page-videos/page-video.ts";
import { t } from "../shared/translate.ts";
import { isManifest } from "../shared/video-kind.ts";
import { Select } from "../view/choice.tsx";
import { change, completeFound, isIncomplete } from "./found-videos.ts";
import { Icon } from "./icon.tsx";

/** Milliseconds that a row is visible before its server is asked: others are scrolled by. */
const VISIBLE_TIME = 150;

export function VideoRow({ listed }: { listed: ListedVideo }): VNode {
  const { id, video, picked, trouble } = listed;
  const root = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (root.current === null || !isIncomplete(listed)) return undefined;
    return whenVisible(root.current, () => void completeFound(listed));
  }, []);
  if (!isTakeable(listed)) {
    const reason = reasonKey(video, listed.manifest?.refusal);
    return (
      <li ref={root}>
        <div class="video">
          <What listed={listed} />
          <p class="reason">{reason && t(reason)}</p>
        </div>
      </li>
    );
  }
  return (
    <li ref={root}>
      <label class="video">
        <input
          type="checkbox"
          checked={picked}
          aria-labelledby={`title-${id}`}
          aria-describedby={[`facts-${id}`, `left-${id}`, `done-${id}`].join(" ")}
          onChange={({ currentTarget }) => change(id, { picked: currentTarget.checked })}
        />
        <What listed={listed} />
      </label>
      <Choices listed={listed} />
      {trouble && (
        <p class="problem" role={trouble === "gone" ? "alert" : undefined}>
          {t(VIDEO_PROBLEM_KEYS[trouble])}
        </p>
      )}
    </li>
  );
}

function What({ listed }: { listed: ListedVideo }): VNode {
  const { id, video, added, known, manifest, language, pageOrigin } = listed;
  const done = added ? t("found.added") : known && t(KNOWN_KEYS[known]);
  const line = facts(video, chosenQuality(listed), manifest !== undefined && manifest.qualities.length > 1);
  const left = tracksLeftOut(manifest ?? {}, language);
  const host = foreignHost(video, pageOrigin);
  return (
    <>
      <span class="picture">
        <Icon name="video" />
        <Thumbnail {...video} />
      </span>
      <span class="what">
        <span class="title" id={`title-${id}`} dir="auto" title={video.title}>
          {video.title}
        </span>
        <span class="facts" id={`facts-${id}`} data-wraps={isManifest(video.kind) || undefined}>
          <span class="kind">{kindLabel(video)}</span>
          {line !== "" && ` · ${line}`}
        </span>
        {left !== "" && (
          <span class="facts" id={`left-${id}`} data-wraps>
            {left}
          </span>
        )}
        {host !== undefined && (
          <span class="host" dir="auto">
            {host}
          </span>
        )}
        {done !== undefined && (
          <span class="added" id={`done-${id}`}>
            <Icon name="done" />
            {done}
          </span>
        )}
      </span>
    </>
  );
}

/** Small pictures of our own making alone: a page's may be of any size. */
function Thumbnail({ thumbnail }: Pick<PageVideo, "thumbnail">): VNode | null {
  if (!thumbnail?.startsWith("data:image/")) return null;
  return (
    <img
      src={thumbnail}
      alt=""
      loading="lazy"
      decoding="async"
      onError={({ currentTarget }) => {
        currentTarget.hidden = true;
      }}
    />
  );
}

/** Outside the label: a click on them picks nothing. */
function Choices({ listed }: { listed: ListedVideo }): VNode | null {
  const { qualities = [], languages = [] } = listed.manifest ?? {};
  const { id } = listed;
  if (qualities.length < 2 && languages.length < 2) return null;
  const about = (what: "quality" | "language") => ({
    labelledBy: [`${what}-${id}`, `title-${id}`] as const,
    onChoose: (chosen: string) => change(id, { [what]: chosen }),
  });
  return (
    <div class="choices">
      {qualities.length > 1 && (
        <Select
          {...about("quality")}
          label={t("found.quality")}
          offered={qualities}
          chosen={chosenQuality(listed)?.id}
        />
      )}
      {languages.length > 1 && (
        <Select
          {...about("language")}
          label={t("found.sound")}
          offered={languages}
          chosen={listed.language ?? languages[0]?.id}
        />
      )}
    </div>
  );
}

function whenVisible(element: Element, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    if (!entries.at(-1)?.isIntersecting) return;
    timer = setTimeout(() => {
      observer.disconnect();
      run();
    }, VISIBLE_TIME);
  });
  observer.observe(element);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}
