/** Texts above the lines of a file that a call wants to write completely. Pure. */
import { t } from '../../shared/messages';
import type { FileChange } from '../../shared/types/drafts';

interface ChangeSaid {
  readonly sentence: string;
  /** Why the comparison is incomplete. */
  readonly note?: string;
  /** The comparison has lines to show; otherwise only the new text is shown. */
  readonly hasLines: boolean;
}

export function changeSaid({ kind, hunks, summary, isCut, isCoarse }: FileChange): ChangeSaid {
  switch (kind) {
    case 'new':
      return { sentence: t('edit.newFile'), hasLines: hunks.length > 0, ...noteOf(isCut, false) };
    case 'text':
      return hunks.length === 0
        ? { sentence: t('edit.sameFile'), hasLines: false }
        : {
            sentence: t('edit.replaces', { added: summary.added, removed: summary.removed }),
            hasLines: true,
            ...noteOf(isCut, isCoarse),
          };
    case 'binary':
      return { sentence: t('edit.overBinary'), hasLines: false };
    case 'too_large':
      return { sentence: t('edit.overLarge'), hasLines: false };
    case 'outside':
      return { sentence: t('edit.outside'), hasLines: false };
    case 'unreadable':
      return { sentence: t('edit.unreadable'), hasLines: false };
    case 'other':
      return { sentence: t('edit.whole'), hasLines: false };
  }
}

function noteOf(isCut: boolean, isCoarse: boolean): Pick<ChangeSaid, 'note'> {
  if (isCut) return { note: t('edit.isCut') };
  return isCoarse ? { note: t('edit.isCoarse') } : {};
}
