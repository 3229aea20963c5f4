/** Stands in until the root package has playwright-core itself. */
declare module "playwright-core" {
  export interface Page {
    goto(url: string): Promise<unknown>;
    close(): Promise<void>;
    locator(selector: string): { setInputFiles(path: string): Promise<void> };
    evaluate<Given, Result>(work: (given: Given) => Result, given: Given): Promise<Awaited<Result>>;
    on(event: "console", listener: (message: { text(): string }) => void): void;
  }
  export interface BrowserContext {
    newPage(): Promise<Page>;
    close(options?: { reason?: string }): Promise<void>;
    browser(): { version(): string } | null;
  }
  export const chromium: {
    executablePath(): string;
    launchPersistentContext(profile: string, options: Record<string, unknown>): Promise<BrowserContext>;
  };
}
