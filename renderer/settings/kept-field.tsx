/** A field of a row: written when it is left or with Enter; Esc puts back what is stored. */
import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';

export function KeptField({
  name,
  value,
  isDisabled = false,
  onSave,
  ...rest
}: {
  /** For screen readers: what the label says, and the subject of the row. */
  readonly name: string;
  readonly value: string;
  readonly isDisabled?: boolean;
  readonly onSave: (text: string) => void;
} & Pick<
  TextInputProps,
  'className' | 'label' | 'maxLength' | 'placeholder' | 'size'
>): ReactElement {
  const [draft, setDraft] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setDraft(value);
  }
  const keep = (): void => {
    if (draft.trim() !== value) onSave(draft.trim());
  };
  return (
    <TextInput
      size="xs"
      aria-label={name}
      value={draft}
      disabled={isDisabled}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === 'Enter') keep();
        if (event.key !== 'Escape' || draft === value) return;
        event.preventDefault();
        setDraft(value);
      }}
      {...rest}
    />
  );
}
