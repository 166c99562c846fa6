/**
 * The small window: a prompt for an agent from anywhere, and what needs the user or runs. A link in
 * it opens its page in the main window (electron/shell/windows/windows.ts); Esc closes it.
 */
import '../home/home.css';
import './quick.css';
import { Button } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { Check, FilePlus2, FolderPlus } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { AskBox } from '../ask-box';
import { useAgentTitles } from '../agents/agent-titles';
import { useCommand, useVerb } from '../bridge';
import { isUrgent } from '../decisions/decision-view';
import { Asks } from '../home/asks';
import { headline, needsYou } from '../home/home-view';
import { Running } from '../home/turn-rows';
import { oneLine } from '../parts/inert-view';
import { TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { readPasted } from './pasted-file';
import { StatusProvider, useStatus } from '../status';

/** The main window shows more. */
const SHOWN = 3;

export function QuickWindow(): ReactElement {
  useAgentTitles();
  useWindowEvent('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    // An open list of agents closes first.
    if (document.querySelector('[aria-expanded="true"]') !== null) return;
    window.close();
  });
  return (
    <StatusProvider>
      <main className="stack quick" aria-label={t('quick.title')}>
        <Strip />
        <Now />
      </main>
    </StatusProvider>
  );
}

function Strip(): ReactElement {
  const [sent, setSent] = useState<{ readonly turnId: number } | undefined>(undefined);
  const choose = useCommand('app.choosePath');
  const [refused, setRefused] = useState<readonly string[]>([]);
  const paste = async (files: readonly File[], add: (line: string) => void): Promise<void> => {
    const read = await readPasted(files);
    setRefused(read.refused);
    if (read.blocks.length > 0) add(read.blocks.join('\n'));
  };
  return (
    <>
      <AskBox
        field="quick"
        startsSession
        isFocused
        placeholder={t('quick.placeholder')}
        sendLabel={t('quick.send')}
        onSent={setSent}
        onPasteFiles={(files, add) => void paste(files, add)}
        tools={(add) =>
          (['file', 'folder'] as const).map((what) => (
            <Button
              key={what}
              size="xs"
              variant="subtle"
              loading={choose.isBusy}
              leftSection={
                what === 'file' ? (
                  <FilePlus2 className="icon small" />
                ) : (
                  <FolderPlus className="icon small" />
                )
              }
              onClick={() => {
                void choose.run({ what }).then((answer) => {
                  if (answer.ok && answer.value.path !== undefined) add(answer.value.path);
                });
              }}
            >
              {t(`quick.${what}`)}
            </Button>
          ))
        }
      />
      <TroubleNote trouble={choose.trouble} />
      {refused.length === 0 ? null : (
        <p role="status" className="sm ink-attention">
          {t('quick.notPasted', { file: oneLine(refused.join(', '), 160) })}
        </p>
      )}
      <p role="status" className={sent === undefined ? 'sr-only' : 'aligned quick-sent sm'}>
        {sent === undefined ? null : (
          <>
            <Check className="icon small ink-ok" /> {t('quick.sent')}{' '}
            <a href={hrefOf({ kind: 'turn', turnId: sent.turnId })}>
              {t('turn.title', { id: sent.turnId })}
            </a>
          </>
        )}
      </p>
    </>
  );
}

/** Home's headline, what needs the user, and what runs. */
function Now(): ReactElement {
  const { status, trouble } = useStatus();
  const inbox = useVerb('inbox.list', {});
  const recovery = useVerb('recovery.list', {});
  const approvals = useVerb('approvals.list', {});
  const running = useVerb('turns.list', { states: ['running'], limit: 20 });
  const asks = needsYou(
    inbox.data?.items ?? [],
    recovery.data?.decisions ?? [],
    approvals.data?.requests ?? [],
  ).filter(isUrgent);
  const head = status ? headline(status) : undefined;
  return (
    <div className="stack quick-now">
      <div>
        <h1>{head?.title ?? t('common.loading')}</h1>
        {head === undefined ? null : <p className="sub">{head.sub}</p>}
      </div>
      <TroubleNote trouble={trouble ?? inbox.trouble} />
      <Asks entries={asks.slice(0, SHOWN)} title={t('home.needsYou')} />
      <Running turns={(running.data?.turns ?? []).slice(0, SHOWN)} total={status?.counts.running} />
      <p className="sm">
        <a href={hrefOf({ kind: 'decisions' })}>{t('quick.inbox')}</a>
        {' · '}
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
      </p>
    </div>
  );
}
