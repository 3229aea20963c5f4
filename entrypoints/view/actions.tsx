/** Buttons with words, and forms that the page itself checks. */
import type { ButtonHTMLAttributes, FormHTMLAttributes, VNode } from "preact";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "onClick"> {
  words: string;
  /** Absent where it submits its form. */
  act?: () => unknown;
}

export function Button({ words, act, ...attributes }: ButtonProps): VNode {
  return (
    <button type={act ? "button" : "submit"} {...attributes} onClick={act && (() => void act())}>
      {words}
    </button>
  );
}

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> {
  submit(): unknown;
}

export function Form({ submit, ...attributes }: FormProps): VNode {
  return (
    <form
      noValidate
      autocomplete="off"
      {...attributes}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    />
  );
}
