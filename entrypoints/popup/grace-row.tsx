/** New uploads that start by themselves in a moment, and what holds them: together they take one row. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { formatDuration } from "../shared/format.ts";
import { graceLeft, type Job, START_DELAY } from "../shared/job.ts";
import { plural, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { clock } from "./list.ts";
import { send } from "./offscreen-connection.ts";
import { startDrafts } from "./row-actions.ts";

export function GraceRow({ jobs }: { jobs: readonly Job[] }): VNode {
  const left = Math.max(...jobs.map((job) => graceLeft(job, clock.value)), 1000);
  const jobIds = jobs.map(({ id }) => id);
  const about = { "aria-describedby": "title-grace" };
  return (
    <li class="grace" aria-labelledby="title-grace">
      <Ring left={left} />
      <h3 id="title-grace" tabIndex={-1}>
        {plural("grace.starting", jobs.length, { time: formatDuration(Math.ceil(left / 1000)) })}
      </h3>
      <div class="buttons">
        <Button {...about} words={t("grace.startNow")} act={() => startDrafts(jobs)} />
        <Button {...about} words={t("grace.reviewThem")} act={() => send({ type: "redraft", jobIds })} />
        <Button {...about} words={t("button.dontUpload")} act={() => send({ type: "remove", jobIds })} />
      </div>
    </li>
  );
}

export function Ring({ left }: { left: number }): VNode {
  // The ring runs by itself from where it was drawn first.
  const [delay] = useState(`${left - START_DELAY}ms`);
  return (
    <svg class="ring" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" pathLength="1" style={{ animationDelay: delay }} />
    </svg>
  );
}
