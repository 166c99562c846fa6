import { useSyncExternalStore } from 'react';
import { EMPTY_FORM, type SearchForm } from './search-view';

let form: SearchForm = EMPTY_FORM;
const listeners = new Set<() => void>();

/** Sets the fields of the search page, whether or not it is shown. */
export function setSearchForm(next: SearchForm): void {
  form = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The last search: returning from a turn shows it again. */
export const useSearchForm = (): SearchForm => useSyncExternalStore(subscribe, () => form);
