/**
 * The input of a tool call that needs a decision: a file edit as its changed lines, shown like a
 * draft, with its exact input one click away; any other input exactly. A completely written file is
 * compared with the file on disk while the question is open.
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
import { editsOf, wholeWrite } from '../../shared/file-edits';
import type { DiffHunk, FileChange } from '../../shared/types/drafts';
import { useVerb } from '../bridge';
import { editHunks } from './edit-view';
import { changeSaid } from './file-change-view';
import '../drafts/drafts.css';

type CompareLines = typeof diffArrays<string>;
let loaded: CompareLines | undefined;

/** Loaded with the first edit that is shown; until then its exact input is shown. */
function useCompareLines(): CompareLines | undefined {
  const [compare, setCompare] = useState<CompareLines | undefined>(() => loaded);
  useEffect(() => {
    let isGone = false;
    import('diff').then(
      (module) => {
        loaded = module.diffArrays;
        if (!isGone) setCompare(() => module.diffArrays);
      },
      // The code is part of the app; if it cannot be loaded, the exact input stays.
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
  /** The open request of this call: a file that it writes completely is compared with the disk. */
  readonly requestId?: number | undefined;
  /** The file below the agent's folder. */
  readonly file?: string | undefined;
}

export function CallInput({ requestId, file, ...props }: CallInputProps): ReactElement {
  const { args, isTruncated } = props;
  const edits = useMemo(
    () => (isTruncated ? undefined : editsOf(plainJson(args))),
    [args, isTruncated],
  );
  // A truncated input may be a long file; only its stored text tells what it is.
  const isWrite = isTruncated || (edits !== undefined && wholeWrite(edits) !== undefined);
  const change = useVerb(
    'approvals.diff',
    requestId !== undefined && isWrite ? { requestId } : undefined,
  ).data;
  const compare = useCompareLines();
  const own = useMemo(
    () => (edits === undefined || compare === undefined ? undefined : editHunks(edits, compare)),
    [edits, compare],
  );
  if (change !== undefined && change.kind !== 'other')
    return <Compared change={change} own={own} input={props} />;
  if (edits === undefined || own === undefined) return <ExactInput {...props} />;
  const isWhole = edits.edits.every(({ before }) => before === undefined);
  return (
    <Edit
      said={t(isWhole ? 'edit.whole' : 'edit.part')}
      path={file ?? edits.path}
      hunks={own}
      input={props}
      headOf={(at) =>
        isWhole ? t('edit.newText') : t('edit.head', { number: at + 1, count: own.length })
      }
    />
  );
}

/** A completely written file: its changes, or why they are unknown, and the new text. */
function Compared({
  change,
  own,
  input,
}: {
  readonly change: FileChange;
  readonly own: readonly DiffHunk[] | undefined;
  readonly input: EditProps['input'];
}): ReactElement {
  const { sentence, note, hasLines } = changeSaid(change);
  return (
    <Edit
      said={sentence}
      note={note}
      path={change.path}
      hunks={hasLines ? change.hunks : own}
      input={input}
      {...(hasLines && change.kind !== 'new' ? {} : { headOf: () => t('edit.newText') })}
    />
  );
}

interface EditProps {
  readonly said: string;
  readonly note?: string | undefined;
  readonly path: string;
  readonly hunks: readonly DiffHunk[] | undefined;
  readonly input: ExactInputText & { readonly label: string };
  readonly headOf?: (at: number) => string;
}

function Edit({ said, note, path, hunks, input, headOf }: EditProps): ReactElement {
  const shown = useMemo(
    () => (hunks === undefined ? undefined : { hunks: [...hunks], draft: { path } }),
    [hunks, path],
  );
  return (
    <div className="edit-input">
      <div className="sm t2">
        <Inert className="mono wrap edit-path" text={path} /> · {said}
        {note === undefined ? null : <> {note}</>}
      </div>
      {shown === undefined ? (
        <ExactInput {...input} />
      ) : (
        <>
          <div className="edit-diff">
            <DiffView
              diff={shown}
              isSplit={false}
              withBase={false}
              isWrapped
              label={input.label}
              headOf={headOf}
            />
          </div>
          <details className="edit-exact sm">
            <summary>{t('edit.exact')}</summary>
            <ExactInput {...input} />
          </details>
        </>
      )}
    </div>
  );
}
