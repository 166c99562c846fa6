import { useEffect } from 'react';
import { t } from '../shared/messages';

/**
 * The page before the program's name in the window title, because window lists truncate the end.
 */
export function useWindowTitle(page: string | undefined): void {
  useEffect(() => {
    document.title = page === undefined ? t('app.name') : t('app.titleOf', { title: page });
  }, [page]);
}
