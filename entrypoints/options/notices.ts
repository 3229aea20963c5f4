/** What the browser doesn't allow yet of what the settings need, each with a button that asks for it. */
import { element } from "../shared/elements.ts";
import { setText } from "../shared/set-text.ts";
import { missing, type Need, request } from "./permissions.ts";

/** @param onGone called when a notice that had the focus is gone */
export async function showNotices(needs: Need[], onGone: () => void): Promise<void> {
  const notices = (await missing(needs)).map((need) => makeNotice(need, needs, onGone));
  element("notices", HTMLUListElement).replaceChildren(...notices);
}

function makeNotice(need: Need, all: Need[], onGone: () => void): HTMLElement {
  const notice = document.createElement("li");
  const lack = document.createElement("span");
  setText(lack, need.lack);
  const allow = Object.assign(document.createElement("button"), { type: "button" });
  setText(allow, need.button);
  allow.addEventListener("click", () => {
    void request([need])
      .then(() => showNotices(all, onGone))
      .then(() => {
        if (!allow.isConnected) onGone();
      });
  });
  notice.append(lack, allow);
  return notice;
}
