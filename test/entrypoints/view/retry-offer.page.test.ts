import { expect, test } from "vitest";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { button, expectAsks, focused, row, status } = popup;
const own = { id: "a", name: "video.example", ending: "…aaaa" };

test("what waits for another account is sent with this one, or kept, by one question", async () => {
  const otherAccount = { id: "b", isKept: false };
  const held = makeJob("needs-permission", {
    id: "held",
    account: own,
    otherAccount,
    needs: { permission: "account", id: "b" },
  });
  const jobs = [held, makeJob("paused", { id: "paused", account: own, otherAccount })];
  await popup.open({ jobs });
  const offer = () => popup.page.getByRole("region", { name: "Waiting uploads" });
  await offer().getByText("2 uploads wait. Send them with the new token?").waitFor();
  await row("holiday-2024").getByText("It waits for the account video.example …aaaa.").waitFor();
  await offer().getByRole("button", { name: "Keep them" }).click();
  await offer().getByRole("button", { name: "Send", exact: true }).click();
  await expectAsks().toMatchObject([
    { type: "keep-account", jobIds: ["paused", "held"] },
    { type: "use-account", jobIds: ["paused", "held"], account: { name: "video.example" } },
  ]);
  await popup.tell({
    type: "changed",
    jobs: jobs.map((job) => ({ ...job, otherAccount: { id: "b", isKept: true } })),
  });
  await offer().waitFor({ state: "hidden" });
  await button("Send with the new token").click();
  await expect.poll(popup.lastAsk).toMatchObject({ type: "use-account", jobIds: ["held"] });
});

test("uploads that failed for the account are offered together once the token was replaced", async () => {
  const failed = (id: string, code: "unauthorized" | "wrong-address", retryOffered = true) =>
    makeJob("failed", { id, error: failure(code), ...(retryOffered && { retryOffered }) });
  const offer = () => popup.page.getByRole("region", { name: "Waiting uploads" });
  const before = ["a", "b", "c"].map((id) => failed(id, "unauthorized", false));
  await popup.open({ jobs: before });
  await row("holiday-2024").first().waitFor();
  expect(await offer().isVisible()).toBe(false);
  await popup.tell({ type: "changed", jobs: before.map((job) => ({ ...job, retryOffered: true })) });
  await offer().getByText("3 uploads failed for the token.").waitFor();
  await expect.poll(status).toContain("3 uploads failed");
  await offer().getByRole("button", { name: "Try again" }).click();
  await expectAsks().toMatchObject([{ type: "use-account", jobIds: ["c", "b", "a"] }]);
  await popup.tell({ type: "changed", jobs: ["a", "b", "c"].map((id) => makeJob("queued", { id })) });
  await offer().waitFor({ state: "hidden" });
  expect(await focused()).toBe("Choose videos");
  // Uploads are offered by what they failed for.
  await popup.tell({ type: "changed", jobs: [failed("a", "wrong-address")] });
  await offer().getByText("1 upload failed for the address").waitFor();
  await popup.tell({ type: "changed", jobs: [failed("b", "unauthorized")] });
  await offer().getByText("2 uploads failed for the token or the address").waitFor();
  await popup.tell({ type: "removed", jobIds: ["a"] });
  await offer().getByText("1 upload failed for the token").waitFor();
});
