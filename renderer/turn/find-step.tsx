/** Finds steps of a long turn by words in their tool name or input. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { SearchField } from '../parts/search-field';

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
    <div className="aligned flex-wrap find-step">
      <SearchField label={t('turn.find')} value={words} onSearch={onChange} />
      <span className="sm t3" role="status">
        {words.trim() === '' ? '' : t('turn.found', { number: found, count: total })}
      </span>
    </div>
  );
}
