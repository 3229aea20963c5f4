/** Whether this is the build for Firefox: known while it is built, so that each build has its own ways alone. */

declare global {
  interface ImportMetaEnv {
    readonly FIREFOX: boolean;
  }
  interface ImportMeta {
    readonly env: ImportMetaEnv;
  }
}

export const IS_FIREFOX: boolean = import.meta.env.FIREFOX;
