import { TextInput, type TextInputProps } from '@mantine/core';
import { Search } from 'lucide-react';
import type { ReactElement } from 'react';

/** The search field of a page: `/` focuses it, and Esc empties it before it leaves it. */
export function SearchField({
  label,
  value,
  onSearch,
  onKeyDown,
  ...rest
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
} & Pick<TextInputProps, 'className' | 'size' | 'maxLength' | 'onKeyDown'>): ReactElement {
  return (
    <TextInput
      type="search"
      data-page-search
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={200}
      onChange={(event) => onSearch(event.currentTarget.value)}
      onKeyDown={(event) => {
        onKeyDown?.(event);
        if (event.key !== 'Escape' || value === '') return;
        event.preventDefault();
        onSearch('');
      }}
      leftSection={<Search className="icon small" />}
      rightSection={value === '' ? <kbd className="kbd">/</kbd> : null}
      {...rest}
    />
  );
}
