/**
 * The language of this window: English, with the system's formats for times, dates, numbers, and
 * money. For tests, `?locale=pseudo` in the address or `holdfast.locale` = `pseudo` in the window's
 * storage select the pseudo-locale. Must be imported first, because the window's title is in the
 * catalogue too.
 */
import { setCatalogueLocale } from '../shared/messages';
import { setUserLocale } from './parts/time-view';

const LOCALE_KEY = 'holdfast.locale';

/** The locale requested by an address or the storage; any unknown one means English. */
export function wantedLocale(search: string, stored: string | null): 'en' | 'pseudo' {
  const asked = new URLSearchParams(search).get('locale') ?? stored;
  return asked === 'pseudo' ? 'pseudo' : 'en';
}

/** A policy or a broken profile can block the storage; English does not need it. */
const storedLocale = (): string | null => {
  try {
    return window.localStorage.getItem(LOCALE_KEY);
  } catch {
    return null;
  }
};

/** The system's time format, as main put it into the page; otherwise the browser's. */
export function formatsOf(content: string | null | undefined): string | undefined {
  if (content === null || content === undefined || content === '') return undefined;
  try {
    return Intl.getCanonicalLocales(content)[0];
  } catch {
    return undefined; // The page was opened outside the app.
  }
}

if (typeof window !== 'undefined') {
  const meta = document.querySelector('meta[name="formats"]');
  setUserLocale(formatsOf(meta?.getAttribute('content')));
  setCatalogueLocale(wantedLocale(window.location.search, storedLocale()));
}
