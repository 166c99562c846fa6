/**
 * What a shared turn changed in the files it took along: to view, to apply to the local folder, or
 * to save as a patch. DW-20
 */
import { Button } from '@mantine/core';
import { Download, FileDiff, FolderInput } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TurnChanges } from '../../shared/types/share';
import { useCommand } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ToldLine } from '../parts/told-line';
import { Mark } from '../parts/state-chip';
import { patchLines } from './patch-view';

export function TurnFiles({ turnId }: { turnId: number }): ReactElement {
  const files = useCommand('share.files');
  const save = useCommand('app.savePatch');
  const [changes, setChanges] = useState<TurnChanges | undefined>(undefined);
  const [said, setSaid] = useState('');
  const ask = async (act: 'show' | 'apply'): Promise<void> => {
    setSaid('');
    const answer = await files.run({ turnId, act });
    if (!answer.ok) return;
    // Texts are loaded only for what is displayed; the text is the same when it is applied.
    setChanges((before) => ({
      ...answer.value,
      ...(act === 'apply' && before?.diff !== undefined ? { diff: before.diff } : {}),
    }));
    const { written: count, folder } = answer.value;
    if (act === 'apply') setSaid(t('turn.files.applied', { count, folder: oneLine(folder, 300) }));
  };
  const savePatch = async (): Promise<void> => {
    setSaid('');
    const answer = await save.run({ turnId });
    if (answer.ok && answer.value.path !== undefined)
      setSaid(t('turn.files.saved', { file: oneLine(answer.value.path, 300) }));
  };
  return (
    <section className="card padded turn-files" aria-label={t('turn.files')}>
      <SectionHead title={t('turn.files')} />
      {changes === undefined ? <p className="t2">{t('turn.files.about')}</p> : null}
      {changes === undefined ? null : <Changes changes={changes} />}
      <ToldLine said={said} mark={String(changes?.inFolder)} />
      <TroubleNote trouble={files.trouble ?? save.trouble} />
      <div className="turn-files-acts">
        {changes === undefined ? (
          <Button
            loading={files.isBusy}
            leftSection={<FileDiff className="icon small" />}
            onClick={() => void ask('show')}
          >
            {t('turn.files.show')}
          </Button>
        ) : null}
        {changes !== undefined && canApply(changes) ? (
          <Button
            loading={files.isBusy}
            leftSection={<FolderInput className="icon small" />}
            onClick={() => void ask('apply')}
          >
            {t('turn.files.apply')}
          </Button>
        ) : null}
        {changes === undefined || totalOf(changes) === 0 ? null : (
          <Button
            loading={save.isBusy}
            leftSection={<Download className="icon small" />}
            onClick={() => void savePatch()}
          >
            {t('turn.files.save')}
          </Button>
        )}
      </div>
    </section>
  );
}

const totalOf = ({ files, more }: TurnChanges): number => files.length + more;
/** For listed files; the engine reports about the others. */
const isStuck = ({ files }: TurnChanges): boolean =>
  files.some(({ stand }) => stand === 'conflict');
const canApply = (changes: TurnChanges): boolean =>
  changes.inFolder < totalOf(changes) && !isStuck(changes);

function Changes({ changes }: { changes: TurnChanges }): ReactElement {
  const { files, more, left } = changes;
  const folder = oneLine(changes.folder, 300);
  return (
    <>
      {files.length === 0 ? (
        <p className="t2">{t('turn.files.none')}</p>
      ) : (
        <div
          className="turn-files-list"
          tabIndex={0}
          role="region"
          aria-label={t('turn.files.list')}
        >
          <ul>
            {files.map((file) => (
              <li key={file.path}>
                <Inert className="mono wrap" text={file.path} />
                <span className="t2">{t(`turn.files.${file.change}`)}</span>
                <span className="mono t2 nw">{linesText(file)}</span>
                <Stand stand={file.stand} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {more === 0 ? null : <p className="t2">{t('turn.files.more', { count: more })}</p>}
      {files.length === 0 ? null : <Diff diff={changes.diff} isApplied={changes.written > 0} />}
      {left === undefined ? null : (
        <p>
          {t('turn.files.left', { name: oneLine(left.machine, 64) })} <Inert text={left.why} />
        </p>
      )}
      {totalOf(changes) === 0 ? null : (
        <p className="t2">
          {isStuck(changes)
            ? t('turn.files.stuck')
            : t(canApply(changes) ? 'turn.files.where' : 'turn.files.all', { folder })}
        </p>
      )}
    </>
  );
}

/** The state of a file in the local folder. */
function Stand({ stand }: { stand: TurnChanges['files'][number]['stand'] }): ReactElement {
  if (stand === 'open') return <span />;
  const [mark, look] = STANDS[stand];
  return (
    <span className={`fate ${look}`}>
      <Mark name={mark} className="icon small" />
      {t(`turn.files.${stand}`)}
    </span>
  );
}

const STANDS = {
  edited: ['check', 't2'],
  done: ['check', 'ink-ok'],
  conflict: ['triangle', 'ink-attention m5'],
} as const;

/** The changes of the files, to read before applying them. */
function Diff({
  diff,
  isApplied,
}: {
  diff: string | undefined;
  isApplied: boolean;
}): ReactElement | null {
  const lines = useMemo(
    () => (diff === undefined ? [] : patchLines(diff, t('turn.files.isBinary'))),
    [diff],
  );
  if (diff === undefined)
    return isApplied ? null : <p className="sm t3">{t('turn.files.isLong')}</p>;
  return (
    <pre
      className="plain-text-box patch"
      tabIndex={0}
      role="region"
      aria-label={t('turn.files.diff')}
    >
      {lines.map(({ kind, text }, at) => (
        <span key={at} className={`patch-line is-${kind}`}>
          <Inert text={text} />
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

const linesText = ({ added, removed }: TurnChanges['files'][number]): string =>
  added === undefined ? t('turn.files.binary') : `+${String(added)} \u2212${String(removed ?? 0)}`;
