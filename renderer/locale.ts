/**
 * The language of this window: English; times, dates, numbers and money in the system's format. For
 * tests, `?locale=pseudo` in the address or `holdfast.locale` = `pseudo` in the window's storage
 * choose the pseudo-locale. Imported first, because the window's title is also in the catalogue.
 */
import { setCatalogueLocale } from '../shared/messages';
import { setUserLocale } from './parts/time-view';

const LOCALE_KEY = 'holdfast.locale';

/** The locale that an address or the storage requests; anything unknown is English. */
export function wantedLocale(search: string, stored: string | null): 'en' | 'pseudo' {
  const asked = new URLSearchParams(search).get('locale') ?? stored;
  return asked === 'pseudo' ? 'pseudo' : 'en';
}

/** Storage can be refused, by a policy or a broken profile; English needs none. */
const storedLocale = (): string | null => {
  try {
    return window.localStorage.getItem(LOCALE_KEY);
  } catch {
    return null;
  }
};

/** How the system writes times, as main has put it into the page; else as the browser would. */
export function formatsOf(content: string | null | undefined): string | undefined {
  if (content === null || content === undefined || content === '') return undefined;
  try {
    return Intl.getCanonicalLocales(content)[0];
  } catch {
    return undefined; // A page that was opened outside of the app.
  }
}

if (typeof window !== 'undefined') {
  const meta = document.querySelector('meta[name="formats"]');
  setUserLocale(formatsOf(meta?.getAttribute('content')));
  setCatalogueLocale(wantedLocale(window.location.search, storedLocale()));
}
