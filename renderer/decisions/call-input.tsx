/**
 * The input of a tool call that needs a decision: an edit of a file as the lines that change, in the
 * same part as drafts, with its exact input one click away; everything else as its exact input.
 */
import type { diffArrays } from 'diff';
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { DiffView } from '../drafts/diff-view';
import { ExactInput } from '../parts/exact-input';
import type { ExactInputText } from '../parts/exact-input-view';
import { plainJson } from '../parts/exact-input-view';
import { Inert } from '../parts/texts';
import { editHunks, editsOf } from './edit-view';
import '../drafts/drafts.css';

type CompareLines = typeof diffArrays<string>;
let loaded: CompareLines | undefined;

/** Loaded with the first edit that is shown; until then its exact input stands there. */
function useCompareLines(): CompareLines | undefined {
  const [compare, setCompare] = useState<CompareLines | undefined>(() => loaded);
  useEffect(() => {
    let isGone = false;
    import('diff').then(
      (module) => {
        loaded = module.diffArrays;
        if (!isGone) setCompare(() => module.diffArrays);
      },
      // The file is part of the app; if it cannot be read, the exact input stays.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, []);
  return compare;
}

interface CallInputProps extends ExactInputText {
  readonly label: string;
}

export function CallInput(props: CallInputProps): ReactElement {
  const { args, isTruncated, label } = props;
  const edits = useMemo(
    () => (isTruncated ? undefined : editsOf(plainJson(args))),
    [args, isTruncated],
  );
  const compare = useCompareLines();
  const hunks = useMemo(
    () => (edits === undefined || compare === undefined ? undefined : editHunks(edits, compare)),
    [edits, compare],
  );
  if (edits === undefined || hunks === undefined) return <ExactInput {...props} />;
  const isWhole = edits.edits.every(({ before }) => before === undefined);
  return (
    <div className="edit-input">
      <div className="sm t3">
        {t(isWhole ? 'edit.whole' : 'edit.part')}{' '}
        <span className="mono wrap">
          <Inert text={edits.path} />
        </span>
      </div>
      <div className="edit-diff">
        <DiffView
          diff={{ hunks: [...hunks], draft: { path: edits.path } }}
          isSplit={false}
          withBase={false}
          isWrapped
          label={label}
          headOf={(at) =>
            isWhole ? t('edit.newText') : t('edit.head', { number: at + 1, count: hunks.length })
          }
        />
      </div>
      <details className="edit-exact sm">
        <summary>{t('edit.exact')}</summary>
        <ExactInput {...props} />
      </details>
    </div>
  );
}
