/** One upload of the list. */
import { Component, type VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { tracksLeftOut } from "../page-videos/message-catalogue.ts";
import { ACCEPT, takeFrom } from "../shared/choose-files.ts";
import { formatLength } from "../shared/format.ts";
import {
  fractionOf,
  graceLeft,
  hasFailed,
  isAskedAbout,
  isUnusable,
  type Job,
  type JobState,
  knownSize,
} from "../shared/job.ts";
import { joinSentences, t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { isAlarming } from "./announcements.ts";
import { DraftForm } from "./draft-form.tsx";
import { earlierLink } from "./earlier-upload.ts";
import { Ring } from "./grace-row.tsx";
import { Icon, type IconName, Tool } from "./icon.tsx";
import { doneActions, linksOfJob } from "./links.ts";
import { clock } from "./list.ts";
import { type ButtonName, buttonLabel, refusedFileSentence } from "./message-catalogue.ts";
import { send } from "./offscreen-connection.ts";
import { playbackPage } from "./page-settings.ts";
import { ProgressBar } from "./progress-bar.tsx";
import { act, giveFile, isOpen, isUnderWay, leave, type RowState, startDrafts } from "./row-actions.ts";
import {
  bytesLine,
  comparedSentence,
  detailsOf,
  explanationsOf,
  serviceCause,
  stateLine,
} from "./state-line.ts";
import { stepsFor, type ToolName } from "./steps.ts";

export interface RowProps {
  job: Job;
  /** True if the best next step of the page is in it. */
  isMain: boolean;
  isLatest: boolean;
  /** True if no window shows it at first. */
  isFar: boolean;
}

/** Records hold what a service, a page or an earlier version wrote: one that can't be shown hides no other. */
export class Row extends Component<RowProps, { broken?: Job }> {
  override componentDidCatch(error: unknown): void {
    console.error("Cannot show an upload", error);
    this.setState({ broken: this.props.job });
  }

  override render(props: RowProps, { broken }: { broken?: Job }): VNode {
    return props.job === broken ? <BrokenRow {...props} /> : <WholeRow {...props} />;
  }
}

interface View extends RowProps {
  now: number;
  state: RowState;
  act(button: ButtonName): void;
}

function WholeRow(props: RowProps): VNode {
  const { job, isMain, isLatest, isFar } = props;
  const element = useRef<HTMLLIElement>(null);
  const [state, setState] = useState<RowState>({});
  const change = (changes: RowState) => setState((before) => ({ ...before, ...changes }));
  const row = { job, state, element, change };
  const now = isCounting(job) ? clock.value : Date.now();
  const view = { ...props, now, state, act: (button: ButtonName) => void act(row, button) };
  const hasForm = job.state === "draft" && state.open === "draft";
  const { tools, buttons } = stepsFor(job, now);
  const grace = graceLeft(job, now);
  // The draft's form has a button of its own.
  const own = hasForm ? buttons.filter((name) => name !== "start") : buttons;
  const names: ButtonName[] = earlierLink(job) === undefined ? own : [...own, "copy-link"];
  const isAlarm = hasFailed(job) && isAlarming(job);
  // While it is cancelled, nothing of its former state is true or can be done any more.
  const shownState = job.ending ? "cancelled" : isUnusable(job) ? "failed" : job.state;

  useLayoutEffect(() => {
    if (state.focus === undefined) return;
    const wanted = element.current?.querySelector<HTMLElement>(`[data-act=${state.focus}]`);
    wanted?.focus();
    if (wanted) change({ focus: undefined });
  });

  function onKeyDown(event: KeyboardEvent): void {
    // The browser would close the popup with it.
    if (event.key === "Escape" && leave(row)) event.preventDefault();
  }

  const cause = serviceCause(job);
  // The name is in the form then, so the row says which file it is.
  const title = hasForm ? job.source.name : job.fields.name;
  return (
    <li
      ref={element}
      class={[hasForm ? "with-form" : isLatest && "card", isFar && "far"].filter(Boolean).join(" ")}
      data-state={job.state}
      aria-labelledby={`title-${job.id}`}
      onKeyDown={onKeyDown}
    >
      <Picture job={job} />
      <div class="what">
        <h3 id={`title-${job.id}`} dir="auto" title={title} tabIndex={-1}>
          {title}
        </h3>
        <p
          class={`state ${shownState} ${cause && "said"}`}
          role={isAlarm ? "alert" : undefined}
          title={cause || (job.ending ? "" : bytesLine(job))}
        >
          {isAlarm && <span class="hidden-visually">{`${title}: `}</span>}
          {grace > 0 && <Ring left={grace} />}
          {grace === 0 && ICONS[shownState] && <Icon name={ICONS[shownState]} />}
          <span>{stateLine(job, now, isOpen(view))}</span>
        </p>
      </div>
      <div class="tools">
        {firstAction(view, hasForm)}
        {linkTools(view)}
        {tools.map((name) => tool(view, name))}
      </div>
      <div class="rest">
        {!job.ending && bar(job)}
        {!job.ending && explanation(view, names)}
        {names.includes("choose-file") && (
          <input
            type="file"
            hidden
            accept={ACCEPT.join()}
            aria-label={t("row.fileOf", { name: job.fields.name })}
            onChange={({ currentTarget }) => giveFile(row, takeFrom(currentTarget))}
          />
        )}
        {hasForm && (
          <DraftForm
            id={job.id}
            fields={job.fields}
            languages={job.source.languages}
            edit={(fields) => send({ type: "edit", jobId: job.id, fields })}
            isMain={isMain && names.length === 0}
            start={() => startDrafts([job])}
          />
        )}
      </div>
    </li>
  );
}

/** A job that can't be drawn can be told apart and removed. */
function BrokenRow(props: RowProps): VNode {
  const { id } = props.job;
  const remove = () => send({ type: "remove", jobIds: [id] });
  const view = { ...props, job: { id } as Job, now: 0, state: {}, act: remove };
  return (
    <li aria-labelledby={`title-${id}`}>
      <div class="picture">
        <Icon name="bad" />
      </div>
      <div class="what">
        <h3 id={`title-${id}`}>{t("row.notShown")}</h3>
      </div>
      <div class="tools">{tool(view, "remove")}</div>
    </li>
  );
}

function isCounting({ waiting, state, startsAt }: Job): boolean {
  return waiting?.until !== undefined || (state === "queued" && startsAt !== undefined);
}

const ICONS: Partial<Record<JobState, IconName>> = {
  queued: "clock",
  requesting: "up",
  uploading: "up",
  waiting: "warn",
  paused: "pause",
  "needs-file": "warn",
  "needs-permission": "warn",
  "asset-unknown": "warn",
  done: "done",
  failed: "bad",
  cancelled: "ended",
};

function Picture({ job: { thumbnail, source } }: Pick<RowProps, "job">): VNode {
  if (thumbnail?.startsWith("data:image/"))
    return (
      <div class="picture">
        <img src={thumbnail} alt="" />
      </div>
    );
  const ending = /\.(\w{1,4})$/.exec(source.name)?.[1] ?? "";
  return (
    <div class="picture">
      <Icon name="video" />
      <span>{ending.toUpperCase()}</span>
    </div>
  );
}

/** What a row of one line offers in words; a draft's form has a button of its own. */
function firstAction(view: View, hasForm: boolean): VNode | false {
  const { job, isMain, isLatest } = view;
  if (job.ending) return false;
  // The latest one has it below, where there is room for words.
  if (isUnusable(job) && !isLatest) return <span class="buttons">{wordButton(view, "start-over")}</span>;
  const isDraft = job.state === "draft" && !hasForm && !isAskedAbout(job);
  return isDraft && <span class="buttons">{wordButton(view, "start", isMain ? "main" : "")}</span>;
}

/** In all states, so that nobody waits for the link; the latest one has it in words below. */
function linkTools(view: View): (VNode | false)[] | false {
  const { job, isLatest } = view;
  const { watch } = linksOfJob(job, playbackPage.value);
  if (watch === undefined || job.ending || isLatest) return false;
  const about = `title-${job.id}`;
  const label = buttonLabel("open");
  return [
    tool(view, "copy-link"),
    <a
      key="open"
      class="tool"
      href={watch}
      target="_blank"
      rel="noreferrer"
      title={label}
      aria-label={label}
      aria-describedby={about}
    >
      <Icon name="watch" />
    </a>,
  ];
}

function bar(job: Job): VNode | undefined {
  const { state, source, progress, fields } = job;
  if (!isUnderWay(job) && !(state.startsWith("needs") && progress.sent > 0)) return undefined;
  const size = knownSize(source);
  const value = state === "requesting" || size === undefined ? undefined : fractionOf(progress.sent, size);
  return <ProgressBar class={state} value={value} label={fields.name} />;
}

function explanation(view: View, names: ButtonName[]): (VNode | false | undefined)[] {
  const { job, state, isLatest } = view;
  const leftOut = job.state !== "done" && tracksLeftOut(job.source, job.fields.language);
  const { lacking = 0 } = job.source;
  return [
    paragraph(leftOut),
    paragraph(lacking > 0 && t("row.lacking", { length: formatLength(Math.ceil(lacking)) })),
    paragraph(
      (job.state === "draft" || job.state === "done") && joinSentences(explanationsOf(job)),
      isUnusable(job) ? "problem" : "quiet",
    ),
    paragraph(job.refused && refusedFileSentence(job.source, job.refused), "problem", true),
    paragraph(state.note?.of === job.state && state.note.words, "problem", true),
    asksEnd(view) ? endQuestion(view) : nextSteps(view, names),
    job.state === "done" && isLatest && gift(view),
    job.state === "done" && isOpen(view) && doneDetails(view),
    paragraph(isOpen(view) && bytesLine(job)),
    isUnderWay(job) && isOpen(view) && copies(view),
  ];
}

/** The ids of an upload that is under way. */
function copies(view: View): VNode | false {
  const names = doneActions(view.job, playbackPage.value).filter((name) => name.endsWith("-id"));
  return names.length > 0 && <div class="buttons">{names.map((name) => wordButton(view, name))}</div>;
}

/** One thing to do, and what else there is to know and to do, folded away. A draft asks for its answer. */
function nextSteps(view: View, names: ButtonName[]): VNode | false {
  const { job, isMain } = view;
  const words = detailsOf(job);
  const shown = job.state === "draft" ? names : names.slice(0, 1);
  const others = names.slice(shown.length);
  return (
    names.length + words.length > 0 && (
      <div class="buttons">
        {shown.map((name, place) => wordButton(view, name, place === 0 && isMain ? "main" : ""))}
        {words.length + others.length > 0 && (
          <details>
            <summary>{t("view.details")}</summary>
            {words.map((sentence) => paragraph(sentence))}
            {others.map((name) => wordButton(view, name))}
          </details>
        )}
      </div>
    )
  );
}

function paragraph(sentence: string | false | undefined, kind = "quiet", isAlert = false): VNode | false {
  return (
    Boolean(sentence) && (
      <p class={kind} role={isAlert ? "alert" : undefined}>
        {sentence}
      </p>
    )
  );
}

/** Asked until it is answered, or there is nothing to end any more. */
function asksEnd({ job, state, now }: View): boolean {
  return state.asksEnd === true && stepsFor(job, now).tools.includes("cancel");
}

/** The harmless answer comes first. */
function endQuestion(view: View): VNode {
  const { id } = view.job;
  const about = [`ending-${id}`, `title-${id}`].join(" ");
  const answer = (name: ButtonName, kind = "") => wordButton(view, name, kind, about);
  return (
    <fieldset class="question" aria-labelledby={`ending-${id}`} aria-describedby={`title-${id}`}>
      <p id={`ending-${id}`}>{t("row.endQuestion")}</p>
      <div class="buttons">
        {answer("keep")}
        {answer("end-upload", "danger")}
      </div>
    </fieldset>
  );
}

/** The latest one's link, which it is for. */
function gift(view: View): VNode {
  return (
    <div class="buttons">
      {giftsOf(view).map((name, place) => wordButton(view, name, place === 0 ? "" : "plain"))}
    </div>
  );
}

/** The asset's link to be copied, and to be watched; else its id. */
function giftsOf({ job, isLatest }: View): ButtonName[] {
  const all = doneActions(job, playbackPage.value);
  const links = (["copy-link", "open"] as const).filter((name) => all.includes(name));
  if (!isLatest) return [];
  if (isUnusable(job)) return ["start-over"];
  return links.length > 0 ? links : all.slice(0, 1);
}

function doneDetails(view: View): VNode {
  const shown = giftsOf(view);
  const others = doneActions(view.job, playbackPage.value).filter(
    (name) => !shown.includes(name) && name !== "open" && name !== "copy-link",
  );
  const { watch } = linksOfJob(view.job, playbackPage.value);
  return (
    <>
      {paragraph(view.job.processing === undefined && t("list.processing"))}
      {paragraph(comparedSentence(view.job))}
      {paragraph(watch === undefined && t("row.noLink"))}
      <div class="buttons">
        {others.map((name) => wordButton(view, name))}
        {wordButton(view, "remove")}
      </div>
    </>
  );
}

/** Each has a key: none ever turns into another one, since a key may be pressed on it just then. */
function wordButton(
  { job, state, act }: View,
  name: ButtonName,
  kind = "",
  about = `title-${job.id}`,
): VNode {
  const { watch, download } = linksOfJob(job, playbackPage.value);
  const address = name === "open" ? watch : name === "download" ? download : undefined;
  if (address !== undefined)
    return (
      <a key={name} class={kind} href={address} target="_blank" rel="noreferrer" aria-describedby={about}>
        {buttonLabel(name)}
      </a>
    );
  return (
    <Button
      key={name}
      class={kind}
      words={state.copied === name ? t("button.copied") : buttonLabel(name, job.needs)}
      data-act={name}
      aria-describedby={about}
      act={() => act(name)}
    />
  );
}

function tool({ job, state, act }: View, name: ToolName): VNode {
  const opens = name === "more" || name === "edit";
  return (
    <Tool
      key={name}
      icon={name === "remove" && job.state === "queued" ? "cancel" : state.copied === name ? "done" : name}
      label={state.copied === name ? t("button.copied") : buttonLabel(name)}
      data-act={name}
      aria-expanded={opens ? isOpen({ job, state }) : undefined}
      aria-describedby={`title-${job.id}`}
      act={() => act(name)}
    />
  );
}
