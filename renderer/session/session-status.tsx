/**
 * Status of a session: the seven facts that an operator can inspect, and its goal if it has one.
 * S3-30, S3-22, S3-15.
 */
import type { ReactElement, ReactNode } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import type { SessionStatus } from '../../shared/types/work';
import { oneLine } from '../parts/inert-view';
import { Mark } from '../parts/state-chip';
import { Ago, At, Countdown, Inert, SectionHead } from '../parts/texts';
import { toolName } from '../parts/tool-name';
import { hrefOf } from '../route';
import { RetryNow } from '../turn/retry-note';
import { claimLine, claimLines, policyText } from './session-status-view';
import { IdDetails } from '../parts/id-details';

const SHOWN_CLAIMS = 12;

interface StatusFact {
  readonly name: string;
  readonly isQuiet: boolean;
  readonly shown: ReactNode;
}

const Facts = ({ facts }: { facts: readonly StatusFact[] }): ReactElement => (
  <dl className="facts">
    {facts.map(({ name, shown }) => (
      <Fact key={name} name={name}>
        {shown}
      </Fact>
    ))}
  </dl>
);

/** All of them, each with a flag that says if there is anything to show. */
function factsOf(
  status: SessionStatus,
  turns: readonly TurnSummary[],
  sessionId: number,
): readonly StatusFact[] {
  const { retryPosture, activeLease, outcome } = status;
  return [
    ...(outcome === null
      ? []
      : [{ name: t('sessionStatus.goal'), isQuiet: false, shown: <GoalFact outcome={outcome} /> }]),
    {
      name: t('sessionStatus.retry'),
      isQuiet: retryPosture.nextRetryAt === null && retryPosture.streak === 0,
      shown: <RetryFact status={status} turns={turns} />,
    },
    {
      name: t('sessionStatus.waitsForYou'),
      isQuiet: status.pendingRequests.length === 0,
      shown: <PendingFact status={status} />,
    },
    {
      name: t('sessionStatus.wakes'),
      isQuiet: status.queuedWakeBacklog.length === 0,
      shown: <WakesFact status={status} />,
    },
    {
      name: t('sessionStatus.holder'),
      isQuiet: activeLease === null,
      shown: <HolderFact status={status} />,
    },
    {
      name: t('sessionStatus.outcome'),
      // While it is working, the end of the previous period is history.
      isQuiet: activeLease?.isAlive === true,
      shown: <OutcomeFact status={status} />,
    },
    {
      name: t('sessionStatus.drafts'),
      isQuiet: status.stagedDrafts.count === 0,
      shown: <DraftsFact status={status} sessionId={sessionId} />,
    },
  ];
}

export function SessionStatusCard({
  status,
  turns,
  sessionId,
}: {
  status: SessionStatus;
  turns: readonly TurnSummary[];
  sessionId: number;
}): ReactElement {
  const facts = factsOf(status, turns, sessionId);
  const quiet = facts.filter(({ isQuiet }) => isQuiet);
  return (
    <section aria-label={t('sessionStatus.title')}>
      <SectionHead title={t('sessionStatus.title')} />
      <div className="card padded sm session-status">
        <Facts facts={facts.filter(({ isQuiet }) => !isQuiet)} />
        {quiet.length === 0 ? null : (
          <details className="claims">
            <summary>{t('sessionStatus.rest')}</summary>
            <Facts facts={quiet} />
          </details>
        )}
        <ClaimHistory status={status} sessionId={sessionId} />
      </div>
    </section>
  );
}

const Quiet = ({ children }: { children: ReactNode }): ReactElement => (
  <span className="t3">{children}</span>
);

/** The session's goal; nothing here judges if it was reached. */
const GoalFact = ({ outcome }: { outcome: string }): ReactElement => (
  <Inert className="wrap" title={oneLine(outcome, 2000)} text={oneLine(outcome, 200)} />
);

function RetryFact({
  status: { retryPosture },
  turns,
}: {
  status: SessionStatus;
  turns: readonly TurnSummary[];
}): ReactElement {
  const { nextRetryAt, streak, lastError } = retryPosture;
  const waiting = turns.find((turn) => turn.retry?.dueAtMs !== undefined);
  return (
    <>
      {nextRetryAt === null ? (
        <Quiet>{t('sessionStatus.noRetry')}</Quiet>
      ) : (
        <Countdown untilMs={Date.parse(nextRetryAt)} />
      )}
      {streak === 0 ? null : (
        <span className="block t2">{t('sessionStatus.streak', { count: streak })}</span>
      )}
      {lastError === null ? null : <Inert className="block t2 wrap" text={lastError} />}
      {nextRetryAt === null ? null : <span className="block t3">{policyText(retryPosture)}</span>}
      {waiting === undefined ? null : (
        <span className="block">
          <RetryNow turnId={waiting.id} name={waiting.promptStart} />
        </span>
      )}
    </>
  );
}

function PendingFact({ status: { pendingRequests } }: { status: SessionStatus }): ReactElement {
  if (pendingRequests.length === 0) return <Quiet>{t('sessionStatus.nothing')}</Quiet>;
  return (
    <>
      {pendingRequests.slice(0, 5).map((request) => (
        <span key={request.requestId} className="block">
          <a href={hrefOf({ kind: 'decisions', itemId: request.requestId })}>
            {t(`sessionStatus.${request.kind}`, { tool: oneLine(toolName(request.tool), 60) })}
          </a>{' '}
          <span className="t3">
            <Ago atMs={Date.parse(request.requestedAt)} />
          </span>
        </span>
      ))}
    </>
  );
}

function WakesFact({ status: { queuedWakeBacklog } }: { status: SessionStatus }): ReactElement {
  const [next, ...more] = queuedWakeBacklog;
  if (next === undefined) return <Quiet>{t('sessionStatus.noWakes')}</Quiet>;
  return (
    <>
      <Countdown untilMs={Date.parse(next.dueAt)} />
      {next.note === '' ? null : <Inert className="block t2 wrap" text={oneLine(next.note, 200)} />}
      {more.length === 0 ? null : (
        <span className="block t3">{t('sessionStatus.wakesMore', { count: more.length })}</span>
      )}
    </>
  );
}

function HolderFact({ status: { activeLease } }: { status: SessionStatus }): ReactElement {
  if (activeLease === null) return <Quiet>{t('sessionStatus.noWorker')}</Quiet>;
  return (
    <>
      {activeLease.isAlive ? (
        <span title={activeLease.owner}>{t('sessionStatus.thisOne')}</span>
      ) : (
        <IdDetails ids={[{ label: t('sessionStatus.holder'), value: activeLease.owner }]} />
      )}
      <span className="block t3">
        {t('sessionStatus.heldTurn', { id: activeLease.turnId })}{' '}
        <At atMs={Date.parse(activeLease.acquiredAt)} withSeconds />
      </span>
      {activeLease.isAlive ? null : (
        <span className="block ink-attention">{t('sessionStatus.gone')}</span>
      )}
    </>
  );
}

const ClaimText = ({ line }: { line: ReturnType<typeof claimLine> }): ReactElement => (
  <span className={`fate ink-${line.tone}`}>
    <Mark name={line.mark} className="icon small" />
    <Inert className="wrap" text={line.text} />
  </span>
);

function OutcomeFact({ status: { latestOutcome } }: { status: SessionStatus }): ReactElement {
  if (latestOutcome === null) return <Quiet>{t('sessionStatus.noOutcome')}</Quiet>;
  const line = claimLine(latestOutcome);
  return (
    <>
      <ClaimText line={line} />
      <span className="block t3">
        <At atMs={line.atMs} withSeconds />
      </span>
    </>
  );
}

function DraftsFact({
  status: { stagedDrafts, stagedDraftStatus },
  sessionId,
}: {
  status: SessionStatus;
  sessionId: number;
}): ReactElement {
  if (stagedDrafts.count === 0) return <Quiet>{t('sessionStatus.noDrafts')}</Quiet>;
  const unfit = stagedDraftStatus.filter((draft) => draft.sourceChanged).length;
  return (
    <>
      <a href={hrefOf({ kind: 'drafts', sessionId })}>
        {t('drafts.aside', { count: stagedDrafts.count })}
      </a>
      {unfit === 0 ? null : (
        <span className="block ink-attention">
          {t('sessionStatus.draftsUnfit', { count: unfit })}
        </span>
      )}
    </>
  );
}

/** Collapsed: for operators who want to read who owned the session, when, and how it ended. */
function ClaimHistory({
  status: { claimHistory },
  sessionId,
}: {
  status: SessionStatus;
  sessionId: number;
}): ReactElement {
  const lines = claimLines(claimHistory, SHOWN_CLAIMS);
  return (
    <details className="claims">
      <summary>{t('sessionStatus.history')}</summary>
      {lines.length === 0 ? <p className="t3">{t('sessionStatus.noHistory')}</p> : null}
      <ol>
        {lines.map((line) => (
          <li key={line.seq}>
            <ClaimText line={line} />
            <span className="block t3">
              <At atMs={line.atMs} withSeconds />
              {line.turnId === undefined ? null : (
                <>
                  {', '}
                  <a href={hrefOf({ kind: 'turn', turnId: line.turnId })}>
                    {t('sessionStatus.historyLine', { id: line.turnId, count: line.attempt })}
                  </a>
                </>
              )}
            </span>
            {line.owner === undefined ? null : (
              <IdDetails ids={[{ label: t('sessionStatus.holder'), value: line.owner }]} />
            )}
            {line.detail === '' ? null : (
              <Inert className="block t2 wrap" text={oneLine(line.detail, 200)} />
            )}
          </li>
        ))}
      </ol>
      <p>
        <a href={hrefOf({ kind: 'events', sessionId })}>{t('sessionStatus.historyAll')}</a>
      </p>
    </details>
  );
}
