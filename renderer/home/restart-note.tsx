/** The restart notice on Home. */
import { ActionIcon, Button } from '@mantine/core';
import { RefreshCw, X } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { RestartNotice, StatusSnapshot } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { lastDecidedAtMs, restartSentence } from './home-view';

const SETTLED = { includeSettled: true, limit: 200 } as const;

const hasAsked = (notice: RestartNotice | undefined): boolean =>
  notice !== undefined &&
  notice.heldTurns.length + notice.staleTurns.length + notice.parkedTurns.length > 0;

/** Why Holdfast was restarted, and what happened to each turn. S0-29, S0-30 */
export function RestartNote({ status }: { status: StatusSnapshot }): ReactElement | null {
  const notice = status.restart;
  const dismiss = useCommand('inbox.dismiss');
  const [isGone, setGone] = useState(false);
  const recovery = useVerb('recovery.list', {});
  const decisions = recovery.data?.decisions;
  const undecided = decisions && new Set(decisions.map(({ turnId }) => turnId));
  // Read only if there was something to decide.
  const settled = useVerb('inbox.list', hasAsked(notice) ? SETTLED : undefined);
  const sentence = notice
    ? restartSentence(notice, status.nowMs, undefined, {
        undecided,
        decidedAtMs: lastDecidedAtMs(notice, settled.data?.items ?? []),
      })
    : undefined;
  if (!notice || !sentence || isGone) return null;
  const inboxId = notice.inboxId;
  const hasDetail =
    notice.resumedTurns.length +
      notice.heldTurns.length +
      notice.parkedTurns.length +
      notice.staleTurns.length >
    0;
  return (
    <section className="day-note" aria-label={t('restart.label')}>
      <div className="aligned note-card">
        <RefreshCw className="icon ink-kept" />
        <span className="grow wrap">
          <strong className="m5">{sentence.lead}</strong>{' '}
          <span className="t2">{sentence.rest}</span>
        </span>
        <span className="flex end">
          {hasDetail ? (
            <Button
              component="a"
              href={hrefOf({ kind: 'restart' })}
              size="xs"
              variant="subtle"
              className="note-see"
            >
              {t('restart.see')}
            </Button>
          ) : null}
          <ActionIcon
            variant="subtle"
            size={26}
            aria-label={t('restart.dismiss')}
            loading={dismiss.isBusy}
            onClick={() => {
              if (inboxId === undefined) setGone(true);
              else void dismiss.run({ inboxId }).then((answer) => setGone(answer.ok));
            }}
          >
            <X className="icon" />
          </ActionIcon>
        </span>
      </div>
      <TroubleNote trouble={dismiss.trouble} />
    </section>
  );
}
