/** What the recovery plan does after a crash with an interrupted tool call, as text. Pure. */
import { t } from '../../shared/messages';
import type { ToolView } from '../../shared/types';

/** A few words for a table; for a tool that knows its harmless calls it depends on the command. */
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
