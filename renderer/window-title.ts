import { useEffect } from 'react';
import { t } from '../shared/messages';

/** The page in the title of the window, before the name of the program: lists of windows cut the end. */
export function useWindowTitle(page: string | undefined): void {
  useEffect(() => {
    document.title = page === undefined ? t('app.name') : t('app.titleOf', { title: page });
  }, [page]);
}
