/** Finds steps of a long turn by words in their tool name or input. */
import { TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';

/** Up to this many steps need no search. */
export const FIND_FROM = 60;

export function FindStep({
  words,
  onChange,
  found,
  total,
}: {
  words: string;
  onChange: (words: string) => void;
  found: number;
  total: number;
}): ReactElement {
  return (
    <div className="find-step">
      <TextInput
        type="search"
        data-page-search
        aria-label={t('turn.find')}
        placeholder={t('turn.find')}
        value={words}
        maxLength={200}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || words === '') return;
          event.preventDefault();
          onChange('');
        }}
        leftSection={<Search className="icon small" />}
        rightSection={words === '' ? <kbd className="kbd">/</kbd> : null}
      />
      <span className="sm t3" role="status">
        {words.trim() === '' ? '' : t('turn.found', { number: found, count: total })}
      </span>
    </div>
  );
}
