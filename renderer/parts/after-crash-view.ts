/** What the recovery plan does after a crash with a call of a tool that it cut off, in words. Pure. */
import { t } from '../../shared/messages';
import type { ToolView } from '../../shared/types';

/** A few words for a table; of a tool that knows its harmless calls it depends on the command. */
export const afterCrashText = ({
  afterCrash,
  afterCrashOfReads,
}: Pick<ToolView, 'afterCrash' | 'afterCrashOfReads'>): string =>
  afterCrashOfReads === undefined
    ? t(`afterCrash.${afterCrash}`)
    : t('afterCrash.both', {
        text: t(`afterCrash.${afterCrash}`),
        what: t(`afterCrash.${afterCrashOfReads}`),
      });
