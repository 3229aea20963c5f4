import { expect, test } from "vitest";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";

const popup = usePopup();
const { expectAsks, focused, row, status } = popup;

test("uploads that failed for the account are offered together once the token was replaced", async () => {
  const failed = (id: string, code: "unauthorized" | "wrong-address", retryOffered = true) =>
    makeJob("failed", { id, error: failure(code), ...(retryOffered && { retryOffered }) });
  const offer = () => popup.page.getByRole("region", { name: "Failed uploads" });
  const before = ["a", "b", "c"].map((id) => failed(id, "unauthorized", false));
  await popup.open({ jobs: before });
  await row("holiday-2024").first().waitFor();
  expect(await offer().isVisible()).toBe(false);
  await popup.tell({ type: "changed", jobs: before.map((job) => ({ ...job, retryOffered: true })) });
  await offer().getByText("3 uploads failed for the token.").waitFor();
  await expect.poll(status).toContain("3 uploads failed");
  await offer().getByRole("button", { name: "Try again" }).click();
  await expectAsks().toEqual(["c", "b", "a"].map((jobId) => ({ type: "continue", jobIds: [jobId] })));
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
