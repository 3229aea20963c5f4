// The part of tus-js-client that speaks the protocol has no types of its own: it is the class below the public one.
declare module "tus-js-client/lib/upload.js" {
  import { Upload, type UploadOptions } from "tus-js-client";

  /** As the public class, but for the options: none is filled in from the package's own ways to send and read. */
  export default class BaseUpload extends Upload {
    static readonly defaultOptions: UploadOptions;
  }
}
