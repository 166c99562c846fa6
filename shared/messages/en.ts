import { EN_PAGES } from './en-pages';
import { EN_SETTINGS } from './en-settings';

/** English, the language of the catalogue. Each key belongs to one of the two parts. */
export const EN = { ...EN_PAGES, ...EN_SETTINGS } as const;
