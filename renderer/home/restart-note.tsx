/** The restart notice on Home. */
import { ActionIcon, Button } from '@mantine/core';
import { RefreshCw, X } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { StatusSnapshot } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { Row } from '../parts/row';
import { Inert, TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { restartSentence } from './home-view';

/** Why Holdfast was started again, and what became of each turn. S0-29, S0-30 */
export function RestartNote({ status }: { status: StatusSnapshot }): ReactElement | null {
  const notice = status.restart;
  const dismiss = useCommand('inbox.dismiss');
  const [isOpen, setOpen] = useState(false);
  const [isGone, setGone] = useState(false);
  const recovery = useVerb('recovery.list', {});
  const decisions = recovery.data?.decisions;
  const undecided = decisions && new Set(decisions.map(({ turnId }) => turnId));
  const sentence = notice ? restartSentence(notice, status.nowMs, undefined, undecided) : undefined;
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
      <div className="note-card">
        <RefreshCw className="icon ink-kept" aria-hidden="true" />
        <span className="grow wrap">
          <strong className="m5">{sentence.lead}</strong>{' '}
          <span className="t2">{sentence.rest}</span>
        </span>
        <span className="flex end">
          {hasDetail ? (
            <Button
              size="xs"
              variant="subtle"
              className="note-see"
              aria-expanded={isOpen}
              onClick={() => setOpen((open) => !open)}
            >
              {isOpen ? t('restart.hide') : t('restart.see')}
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
            <X className="icon" aria-hidden="true" />
          </ActionIcon>
        </span>
      </div>
      <TroubleNote trouble={dismiss.trouble} />
      {isOpen ? (
        <>
          <TroubleNote trouble={recovery.trouble} />
          <LastStart entries={recovery.data?.lastStart ?? []} undecided={undecided} />
        </>
      ) : null}
    </section>
  );
}

/** Actions after which a turn is blocked until the user has decided. */
const STANDS: ReadonlySet<string> = new Set(['hold', 'stale', 'park']);

function LastStart({
  entries,
  undecided,
}: {
  entries: VerbOutput<'recovery.list'>['lastStart'];
  undecided: ReadonlySet<number> | undefined;
}): ReactElement {
  const isDecided = (entry: (typeof entries)[number]): boolean =>
    STANDS.has(entry.action) && undecided !== undefined && !undecided.has(entry.turnId);
  return (
    <div className="last-start">
      <ul className="rows">
        {entries.map((entry) => (
          <Row
            key={entry.turnId}
            name={t('restart.turn', { id: entry.turnId })}
            href={hrefOf({ kind: 'turn', turnId: entry.turnId })}
            quiet={<Inert text={entry.reason} />}
          >
            <span className="sm t2">
              {isDecided(entry) ? t('restart.decidedOne') : t(`planAction.${entry.action}`)}
            </span>
          </Row>
        ))}
      </ul>
    </div>
  );
}
