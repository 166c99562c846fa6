import { useSyncExternalStore } from 'react';
import { EMPTY_FORM, type SearchForm } from './search-view';

let form: SearchForm = EMPTY_FORM;
const listeners = new Set<() => void>();

/** Fills in the fields of the search page, shown or not. */
export function setSearchForm(next: SearchForm): void {
  form = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What was searched for last: going back from a turn shows it again. */
export const useSearchForm = (): SearchForm => useSyncExternalStore(subscribe, () => form);
