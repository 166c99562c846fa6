/** A field of a row: written when it is left or with Enter; Esc puts back what is stored. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';

export function KeptField({
  label,
  name,
  placeholder,
  value,
  isDisabled,
  onSave,
  className,
}: {
  /** Above the field; without it only `name` says what it is. */
  readonly label?: string;
  /** With the subject of the row, for screen readers. */
  readonly name: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly isDisabled: boolean;
  readonly onSave: (text: string) => void;
  readonly className?: string;
}): ReactElement {
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
      className={className}
      label={label}
      aria-label={name}
      placeholder={placeholder}
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
    />
  );
}
