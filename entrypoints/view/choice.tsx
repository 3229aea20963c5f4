/** A labelled box or a choice of one of several, each with its hint. Needs `form.css`. */
import type { ComponentChildren, VNode } from "preact";

interface CheckProps {
  id: string;
  label: string;
  hint?: string | undefined;
  isChecked: boolean;
  onCheck(isChecked: boolean): void;
  /** Of a choice, the name that its values share. */
  name?: string;
  /** Further content below its hint, where it has one. */
  children?: ComponentChildren;
}

export function Check({ id, label, hint, isChecked, onCheck, name, children }: CheckProps): VNode {
  const input = (
    <input
      type={name === undefined ? "checkbox" : "radio"}
      id={id}
      name={name}
      checked={isChecked}
      onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
      aria-describedby={hint && `${id}-hint`}
    />
  );
  // Without a hint all of it is to be clicked.
  if (hint === undefined)
    return (
      <label class="check" for={id}>
        {input} <span>{label}</span>
      </label>
    );
  return (
    <div class="check">
      {input}
      <label for={id}>{label}</label>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
      {children}
    </div>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  values: readonly { value: string; label: string; hint?: string | undefined }[];
  chosen: string;
  onChoose(value: string): void;
}

export function Choice({ name, label, values, chosen, onChoose }: ChoiceProps): VNode {
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {values.map(({ value, ...texts }) => (
        <Check
          key={value}
          id={`${name}-${value}`}
          name={name}
          {...texts}
          isChecked={value === chosen}
          onCheck={() => onChoose(value)}
        />
      ))}
    </fieldset>
  );
}

interface SelectProps {
  label: string;
  /** Ids of the label, and of what the choice is about besides. */
  labelledBy?: readonly [string, string];
  name?: string;
  offered: readonly { id: string; label: string }[];
  chosen: string | undefined;
  onChoose(id: string): void;
}

/** A choice in a list that is folded away. */
export function Select({ label, labelledBy, name, offered, chosen, onChoose }: SelectProps): VNode {
  return (
    <label>
      <span id={labelledBy?.[0]}>{label}</span>
      <select
        name={name}
        aria-labelledby={labelledBy?.join(" ")}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {offered.map((each) => (
          <option key={each.id} value={each.id} selected={each.id === chosen}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}
