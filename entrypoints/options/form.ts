/** The settings as the page's form holds them. */
import { readBaseUrl } from "../../core/validate.ts";
import { element } from "../shared/elements.ts";
import { forgetProblemsOnInput, setProblem } from "../shared/form-field.ts";
import { IS_FIREFOX } from "../shared/is-firefox.ts";
import {
  isSimple,
  makeFurtherEditor,
  makeRequestEditors,
  readFields,
  writeFields,
} from "../shared/request-form.ts";
import { DEFAULT_SETTINGS, METHODS, type Settings } from "../shared/settings.ts";
import {
  addressProblem,
  isPlain,
  pathProblem,
  playbackPageProblem,
  streamPageProblem,
  uploadsAtATimeProblem,
  withScheme,
} from "./checks.ts";
import { makeStreamMenuField } from "./stream-menu-field.ts";

export interface SettingsForm {
  write(settings: Settings): void;
  /** What is filled in, or undefined after marking every field that is wrong. */
  read(): Settings | undefined;
}

const SWITCHES = [
  "uploadAuthorization",
  "reviewFirst",
  "notifications",
  "keepAwake",
  "confirmTerminate",
] as const;

const input = (id: string) => element(id, HTMLInputElement);

export function makeSettingsForm(form: HTMLFormElement): SettingsForm {
  const editors = makeRequestEditors("options");
  const further = makeFurtherEditor("request");
  const streamMenu = makeStreamMenuField();
  const simple = editors.filter(({ control }) => isSimple(control));
  element("request-fields", HTMLElement).replaceWith(...simple.map((editor) => editor.element));
  for (const { control, element: fields } of editors)
    if (!isSimple(control)) element(control, HTMLElement).append(fields);
  element("further", HTMLElement).append(further.element);

  const address = makeAddressField(streamMenu.nameSite);
  forgetProblemsOnInput(form);
  // Firefox lets no extension do it.
  if (IS_FIREFOX) input("keepAwake").closest("div")?.setAttribute("hidden", "");

  return {
    write(settings) {
      const { fields } = settings;
      address.write(settings.address);
      input(`method-${settings.method}`).checked = true;
      for (const name of SWITCHES) input(name).checked = settings[name];
      input("uploadsAtATime").value = String(settings.uploadsAtATime);
      writeFields(editors, fields);
      further.write(fields.further);
      streamMenu.write(settings);
      input("streamPage").value = settings.streamPage;
      input("playbackPage").value = settings.playbackPage;
      input("path-requestUpload").value = settings.paths.requestUpload;
      input("path-terminate").value = settings.paths.terminate;
    },

    read() {
      let isRight = true;
      const mark = (id: string, problem: string | undefined) => {
        setProblem(input(id), problem);
        if (problem !== undefined) isRight = false;
      };
      const text = (id: string) => input(id).value.trim();
      const written = address.read();
      mark("address", addressProblem(written));
      mark("uploadsAtATime", uploadsAtATimeProblem(input("uploadsAtATime").valueAsNumber));
      mark("streamPage", streamPageProblem(text("streamPage")));
      mark("playbackPage", playbackPageProblem(text("playbackPage")));
      mark("path-requestUpload", pathProblem("requestUpload", text("path-requestUpload")));
      mark("path-terminate", pathProblem("terminate", text("path-terminate")));
      const read = { fields: readFields(editors), further: further.read() };
      const menu = streamMenu.read();
      if ("wrong" in read.fields || "wrong" in read.further || !menu || !isRight) return undefined;
      const switches = SWITCHES.map((name) => [name, input(name).checked] as const);
      return {
        ...(Object.fromEntries(switches) as Pick<Settings, (typeof SWITCHES)[number]>),
        address: readBaseUrl(written).href,
        paths: { requestUpload: text("path-requestUpload"), terminate: text("path-terminate") },
        method: METHODS.find((method) => input(`method-${method}`).checked) ?? DEFAULT_SETTINGS.method,
        fields: { ...read.fields.value, further: read.further.value },
        uploadsAtATime: input("uploadsAtATime").valueAsNumber,
        ...menu,
        streamPage: text("streamPage"),
        playbackPage: text("playbackPage"),
      };
    },
  };
}

interface AddressField {
  write(address: string): void;
  /** What is filled in, completed by its scheme. */
  read(): string;
}

/** @param onShown called with the address whenever another one is in the field */
function makeAddressField(onShown: (address: string) => void): AddressField {
  const address = input("address");
  function show(): void {
    element("address-plain", HTMLElement).hidden = !isPlain(address.value);
    onShown(address.value);
  }
  function complete(): void {
    address.value = withScheme(address.value);
  }
  address.addEventListener("input", show);
  address.addEventListener("change", () => {
    complete();
    show();
  });
  return {
    write(value) {
      address.value = value;
      show();
    },
    read() {
      complete();
      return address.value;
    },
  };
}
