/** The used part of the module of Cloudflare's runtime; `npx wrangler types` writes the whole of it. */

declare module "cloudflare:workers" {
  /** One run of a Workflow: its steps are kept, so that it goes on after the last one that came to its end. */
  export abstract class WorkflowEntrypoint<Bindings, Payload> {
    protected env: Bindings;
    constructor(context: unknown, env: Bindings);
    abstract run(
      event: { payload: Readonly<Payload>; instanceId: string },
      step: WorkflowStep,
    ): Promise<unknown>;
  }

  export interface WorkflowStep {
    /** Runs a step, or gives what it gave before. Durations are milliseconds, or words such as "5 minutes". */
    do<Result>(
      name: string,
      config: {
        retries: { limit: number; delay: number | string; backoff: "constant" | "linear" | "exponential" };
        timeout: number | string;
      },
      run: () => Promise<Result>,
    ): Promise<Result>;
  }
}
