/** Rows of turns on Home: what runs, what waits, what ended. */
import { Button } from '@mantine/core';
import { Play } from 'lucide-react';
import { Fragment } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StatusSnapshot, TurnSummary } from '../../shared/types';
import type { HeldItem } from '../../shared/types/outage';
import { useCommand } from '../bridge';
import { HeldActs } from '../outages/held-acts';
import { titleOfItem } from '../outages/queue-view';
import { DoingLine } from '../parts/doing-line';
import { oneLine } from '../parts/inert-view';
import { outcomeOf } from '../parts/outcome-view';
import { Row } from '../parts/row';
import { TurnTile } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { At, Elapsed, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { limitedTurns, outsideWaits } from './external-view';
import { pipsOf, waitOf } from './home-view';
import { ExternalRow } from './outside';
import { firstSentence } from '../parts/title-view';
import { agentTitle } from '../agents/agent-titles';

/** Running turns, and what each is doing. */
export function Running({
  turns,
  total,
}: {
  turns: readonly TurnSummary[];
  total: number | undefined;
}): ReactElement | null {
  if (turns.length === 0) return null;
  return (
    <section aria-label={t('home.running')}>
      <SectionHead title={t('home.running')} count={total ?? turns.length} />
      <ul className="card rows whole-names">
        {turns.map((turn) => (
          <Row
            key={turn.id}
            lead={<TurnTile state={turn.state} />}
            name={firstSentence(turn.promptStart)}
            href={hrefOf({ kind: 'turn', turnId: turn.id })}
            second={
              <>
                {agentTitle(turn.agent)}
                {turn.doing === undefined ? null : (
                  <>
                    {' · '}
                    <DoingLine turnId={turn.id} doing={turn.doing} />
                  </>
                )}
                {turn.attempt > 1 ? ` · ${t('turn.resumed', { count: turn.attempt - 1 })}` : ''}
              </>
            }
          >
            <span className="pips" aria-hidden="true">
              {/* The newest is first, on the right, so old ones are the ones that do not fit. */}
              {pipsOf(turn)
                .toReversed()
                .map((pip, index) => (
                  <span key={index} className={`pip ${pip}`} />
                ))}
            </span>
            <span className="sm t2 row-number row-step">
              {t('turn.step', { step: turn.steps })}
            </span>
            <span className="sm t3 row-number row-took only-wide">
              {turn.startedAtMs === undefined ? null : <Elapsed sinceMs={turn.startedAtMs} />}
            </span>
            <StopButton turnId={turn.id} name={turn.promptStart} />
          </Row>
        ))}
      </ul>
    </section>
  );
}

const waitingOf = (status: StatusSnapshot | undefined, provider: string): number =>
  status?.outside?.providers.find((one) => one.provider === provider)?.waiting ?? 0;

/** Further ones are in Sessions, because Home answers a question and is not a list. */
const WAITING_SHOWN = 6;

/** Queued turns with what each waits for, and one row per provider that turns wait for. */
export function Waiting({
  turns,
  running,
  held,
  status,
}: {
  /** Without those that wait for a provider, which have their own rows. */
  turns: readonly TurnSummary[];
  running: readonly TurnSummary[];
  /** Those that wait for a provider. */
  held: readonly HeldItem[];
  status: StatusSnapshot | undefined;
}): ReactElement | null {
  const resume = useCommand('intake.resume');
  const outside = status === undefined ? [] : outsideWaits(status);
  if (turns.length === 0 && outside.length === 0) return null;
  // The list has at most 50; the engine counts queued ones.
  const single = Math.max(turns.length, status?.counts.queued ?? 0);
  const total = single + outside.reduce((sum, one) => sum + waitingOf(status, one.provider), 0);
  return (
    <section aria-label={t('home.waiting')}>
      <SectionHead title={t('home.waiting')} count={total}>
        {status?.paused ? (
          <Button
            size="xs"
            className="end"
            loading={resume.isBusy}
            leftSection={<Play className="icon small" />}
            onClick={() => void resume.run({})}
          >
            {t('home.resume')}
          </Button>
        ) : null}
      </SectionHead>
      <TroubleNote trouble={resume.trouble} />
      <ul className="card rows">
        {outside.map((wait) => (
          <Fragment key={wait.provider}>
            <ExternalRow wait={wait} />
            {limitedTurns(held, wait.provider).map((item) => (
              <HeldRow key={item.turnId} item={item} />
            ))}
          </Fragment>
        ))}
        {turns.slice(0, WAITING_SHOWN).map((turn) => {
          const wait = waitOf(turn, running, status);
          return (
            <Row
              key={turn.id}
              lead={<TurnTile state={turn.state} />}
              name={firstSentence(turn.promptStart)}
              href={hrefOf({ kind: 'turn', turnId: turn.id })}
              quiet={agentTitle(turn.agent)}
              second={
                <span className="second-line">
                  <Inert className="ellipsis" text={oneLine(wait.what, 140)} />{' '}
                  <span className="nw">
                    · {t('home.since')} <At atMs={turn.acceptedAtMs} />
                  </span>
                </span>
              }
            >
              {wait.next === undefined ? null : <span className="sm t2 nw">{wait.next}</span>}
              <StopButton turnId={turn.id} name={turn.promptStart} />
            </Row>
          );
        })}
        {single > WAITING_SHOWN ? (
          <li className="row more-row">
            <a className="sm" href={hrefOf({ kind: 'sessions' })}>
              {t('plan.more', { count: single - WAITING_SHOWN })}
            </a>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

/** One turn that waits for a usage limit, with what can be decided about it. LM-10 */
function HeldRow({ item }: { item: HeldItem }): ReactElement {
  return (
    <Row
      lead={<TurnTile state="waiting" />}
      name={titleOfItem(item)}
      href={hrefOf({ kind: 'turn', turnId: item.turnId })}
      quiet={oneLine(item.agent, 64)}
    >
      <HeldActs item={item} />
    </Row>
  );
}

/** The last ended turns, each with its outcome. */
export function Recent({
  turns,
  finishedToday = 0,
}: {
  turns: readonly TurnSummary[];
  finishedToday?: number | undefined;
}): ReactElement | null {
  if (turns.length === 0) return null;
  return (
    <section aria-label={t('home.recent')}>
      <SectionHead
        title={t('home.recent')}
        {...(finishedToday > 0 ? { count: t('home.recentCount', { count: finishedToday }) } : {})}
      >
        <a className="end sm" href={hrefOf({ kind: 'sessions' })}>
          {t('home.allSessions')}
        </a>
      </SectionHead>
      <ul className="card rows">
        {turns.map((turn) => (
          <Row
            key={turn.id}
            lead={<TurnTile state={turn.state} />}
            name={firstSentence(turn.promptStart)}
            href={hrefOf({ kind: 'turn', turnId: turn.id })}
            second={`${agentTitle(turn.agent)} · ${oneLine(outcomeOf(turn), 140)}`}
          >
            <span className="sm t3 nw">
              <At atMs={turn.endedAtMs ?? turn.acceptedAtMs} />
            </span>
          </Row>
        ))}
      </ul>
    </section>
  );
}
