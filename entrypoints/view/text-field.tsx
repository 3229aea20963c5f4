/** A labelled text of one line or more, with its hint and what is wrong with it. Needs `form.css`. */
import type { AllHTMLAttributes, ComponentChildren, VNode } from "preact";

type Attributes = "dir" | "class" | "placeholder" | "inputMode" | "min" | "max" | "required" | "readOnly";

export interface TextFieldProps extends Pick<AllHTMLAttributes<HTMLInputElement>, Attributes> {
  type?: "text" | "url" | "password" | "number";
  id: string;
  label: string;
  text: string;
  onText(text: string): void;
  /** Called when what was typed is left. */
  onLeave?(): void;
  hint?: string | undefined;
  problem?: string | undefined;
  /** Rows of a text of several lines. */
  rows?: number;
  suggestions?: readonly string[] | undefined;
  /** Class names beside `field`. */
  kind?: string;
  /** Content beside the input, such as a button. */
  children?: ComponentChildren;
}

export function TextField({
  id,
  label,
  text,
  onText,
  onLeave,
  hint,
  problem,
  type = "text",
  rows,
  suggestions,
  kind = "",
  children,
  ...attributes
}: TextFieldProps): VNode {
  const describedBy = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  const own = {
    id,
    value: text,
    dir: "auto" as const,
    spellcheck: false,
    autocomplete: "off",
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
    onChange: onLeave,
    "aria-describedby": describedBy || undefined,
    "aria-invalid": problem === undefined ? undefined : true,
  };
  const input =
    rows === undefined ? (
      <input {...({ ...own, ...attributes, type, list: suggestions && `${id}-suggestions` } as object)} />
    ) : (
      <textarea rows={rows} {...own} class={attributes.class} />
    );
  return (
    <div class={`field ${kind}`}>
      <label for={id}>{label}</label>
      {children === undefined ? (
        input
      ) : (
        <div class="joined">
          {input}
          {children}
        </div>
      )}
      {suggestions && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="problem">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Goes to an element, and selects what was typed there: it may be mistyped. */
export function focusOn(id: string): void {
  const element = document.getElementById(id);
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
}
