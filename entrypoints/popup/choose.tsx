/** The ways to add videos: chosen, dropped, found on the page, or by a link. */
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { takeFrom } from "../shared/choose-files.ts";
import { videosAmong } from "../shared/chosen-files.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import type { KnownAccount } from "../shared/known-account.ts";
import { saveSettings } from "../shared/settings.ts";
import { t } from "../shared/translate.ts";
import { Button } from "../view/actions.tsx";
import { ChooseButton } from "../view/video-input.tsx";
import { chooseProblem, handOverFiles } from "./handing-over.ts";
import { Icon } from "./icon.tsx";
import { inGrace, totals } from "./list.ts";
import { mainButton } from "./main-button.ts";
import { isResponding } from "./offscreen-connection.ts";
import { account, reviewFirst } from "./page-settings.ts";
import { PageVideos, PageVideosLine } from "./page-videos.tsx";
import { CHOOSES_IN_PANEL, moveToPanel, surface } from "./panel.ts";
import { LinkForm, PasteLink } from "./paste-link.tsx";

export function Choose(): VNode {
  const isRunning = totals.value.running > 0 || inGrace.value.length > 0;

  // The sidebar was opened to choose.
  useLayoutEffect(() => {
    const isFree = document.activeElement === document.body;
    if (IS_FIREFOX && surface === "panel" && isResponding.value && isFree)
      document.getElementById("choose-videos")?.focus();
  }, [isResponding.value]);

  return (
    <section id="choose" aria-label={t("popup.newUploads")}>
      {account.value && <AccountName {...account.value} />}
      <div id="drop-zone">
        {surface === "tab" && <Icon name="up" />}
        {surface === "tab" && <p>{t("popup.dropHere")}</p>}
        <ChooseButton
          id="choose-videos"
          class={mainButton.value === "choose" ? "main" : ""}
          words={t(isRunning ? "popup.addMore" : "popup.choose")}
          disabled={!isResponding.value}
          inTab={surface !== "popup"}
          take={handOverFiles}
          {...(CHOOSES_IN_PANEL && { act: moveToPanel })}
        />
        {CHOOSES_IN_PANEL && <p class="quiet">{t("panel.chooses")}</p>}
        {/* Its files have to be looked into, for which the popup doesn't live. */}
        {surface !== "popup" && <FolderButton />}
      </div>
      {chooseProblem.value !== "" && (
        <p id="choose-problem" class="problem" role="alert">
          {chooseProblem.value}
        </p>
      )}
      {reviewFirst.value && <ReviewSwitch />}
      <div id="ways">
        <PageVideosLine />
        <PasteLink />
      </div>
      <LinkForm />
      <PageVideos />
    </section>
  );
}

/** The end of the token is what tells two accounts apart: it is never cut. */
function AccountName({ name, ending }: KnownAccount): VNode {
  return (
    <p id="account" class="quiet" title={`${name} ${ending}`}>
      <bdi>{name}</bdi> <bdi dir="ltr">{ending}</bdi>
    </p>
  );
}

function FolderButton(): VNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        id="choose-folder"
        class="plain"
        words={t("popup.chooseFolder")}
        disabled={!isResponding.value}
        // An input: the picker that gives handles refuses Downloads, Documents and the desktop in Chromium.
        act={() => input.current?.click()}
      />
      <input
        ref={input}
        id="folder"
        type="file"
        {...{ webkitdirectory: true }}
        hidden
        aria-label={t("popup.chooseFolder")}
        onChange={async ({ currentTarget }) => handOverFiles(await videosAmong(takeFrom(currentTarget)))}
      />
    </>
  );
}

/** The setting that keeps new uploads until they are started: where it is on, it can be turned off here. */
function ReviewSwitch(): VNode {
  return (
    <label id="review" class="check">
      <input
        type="checkbox"
        checked
        onChange={({ currentTarget: { checked } }) => void saveSettings({ reviewFirst: checked })}
      />{" "}
      <span>{t("grace.review")}</span>
    </label>
  );
}
