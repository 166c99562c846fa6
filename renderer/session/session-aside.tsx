/**
 * Next to the chat: open turns with their limits, the session's status, and what a crash would do.
 */
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Fact } from '../parts/fact';
import { parseDuration } from '../../shared/durations';
import { t } from '../../shared/messages';
import type { AgentView, TurnSummary } from '../../shared/types';
import type { SessionStatus } from '../../shared/types/work';
import { useVerb, useCommand } from '../bridge';
import { useNow } from '../clock';
import { isOwnEscape, useEscCloses } from '../keys/own-escape';
import { StateChip } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { Inert, SectionHead, CommandLine, TroubleNote } from '../parts/texts';
import { localClocks, moneyText } from '../parts/time-view';
import { hrefOf } from '../route';
import { Wakes } from '../schedule/wakes';
import { SessionStatusCard } from './session-status';
import { exactOf } from '../agents/agent-view';
import {
  crashSentence,
  metersOf,
  opensInTerminal,
  type Limits,
  takeBackCommand,
} from './session-aside-view';
import { ActionIcon, Button } from '@mantine/core';
import { SquareTerminal, X } from 'lucide-react';
import type { VerbOutput } from '../../shared/contract';

/** Moves the conversation of a session to a terminal, and explains how to return it. */
function OpenInTerminal({ sessionKey }: { sessionKey: string }): ReactElement {
  const handBack = useCommand('session.handBack');
  const info = useVerb('app.info', {});
  const [given, setGiven] = useState<VerbOutput<'session.handBack'> | undefined>(undefined);
  return (
    <section className="card quiet padded sm in-terminal" aria-label={t('session.terminal')}>
      <h2>{t('session.terminal')}</h2>
      {given === undefined ? (
        <>
          <p className="t2">{t('session.terminalAbout')}</p>
          <Button
            size="xs"
            loading={handBack.isBusy}
            leftSection={<SquareTerminal className="icon small" />}
            onClick={() => {
              void handBack.run({ session: sessionKey }).then((answer) => {
                if (answer.ok) setGiven(answer.value);
              });
            }}
          >
            {t('session.terminalOpen')}
          </Button>
          <TroubleNote trouble={handBack.trouble} />
        </>
      ) : (
        <div role="status" className="in-terminal">
          <p className="t2">{t('session.terminalRun')}</p>
          <CommandLine command={given.command} />
          <p className="t2">{t('session.terminalBack')}</p>
          {info.data === undefined ? null : (
            <CommandLine command={takeBackCommand(info.data.terminal, given)} />
          )}
        </div>
      )}
    </section>
  );
}

const numberOr = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

function useLimits(): Limits {
  const steps = useVerb('config.get', { key: 'limits.turn_steps' });
  const cost = useVerb('config.get', { key: 'limits.turn_cost_usd' });
  const time = useVerb('config.get', { key: 'limits.turn_time' });
  const parsed = parseDuration(time.data?.value);
  return {
    steps: numberOr(steps.data?.value),
    costUsd: numberOr(cost.data?.value),
    timeMs: parsed.ok ? parsed.ms : undefined,
  };
}

export function SessionAside({
  turns,
  agent,
  sessionId,
  sessionKey,
  status,
  isOpen,
  onClose,
}: {
  turns: readonly TurnSummary[];
  agent: AgentView | undefined;
  sessionId: number;
  /** Timers and heartbeats refer to their session by its key. */
  sessionKey: string | undefined;
  status: SessionStatus | undefined;
  /** As a drawer if the page has no room for it. */
  isOpen: boolean;
  onClose: () => void;
}): ReactElement {
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isOpen) drawer.current?.focus();
  }, [isOpen]);
  useEscCloses(isOpen, onClose);
  const limits = useLimits();
  const running = turns.find((turn) => turn.state === 'running');
  return (
    <aside
      ref={drawer}
      id="session-aside"
      tabIndex={-1}
      className="stack session-aside"
      data-open={isOpen}
      data-esc-closes={isOpen}
      aria-label={t('session.aside')}
      onKeyDown={(event) => {
        if (!isOpen || !isOwnEscape(event)) return;
        event.preventDefault();
        onClose();
      }}
    >
      <ActionIcon
        variant="subtle"
        className="aside-close"
        aria-label={t('common.closeOf', { name: t('session.aside') })}
        onClick={onClose}
      >
        <X className="icon" />
      </ActionIcon>
      {turns.map((turn) => (
        <OpenTurn key={turn.id} turn={turn} limits={limits} />
      ))}
      {status === undefined ? null : (
        <SessionStatusCard status={status} turns={turns} sessionId={sessionId} />
      )}
      {sessionKey === undefined ? null : <Wakes session={sessionKey} />}
      {agent === undefined || sessionKey === undefined || !opensInTerminal(agent) ? null : (
        <OpenInTerminal key={sessionKey} sessionKey={sessionKey} />
      )}
      {agent ? (
        <section className="card quiet padded sm">
          <h2>{t('session.ifCrash')}</h2>
          {running ? <CrashNow turnId={running.id} /> : null}
          <Inert as="p" className="t2" text={exactOf(agent)} />
        </section>
      ) : null}
    </aside>
  );
}

/** Loaded again after each change of the turn, because the plan applies to one moment. */
function CrashNow({ turnId }: { turnId: number }): ReactElement | null {
  const plan = useVerb('turns.plan', { turnId });
  return plan.data ? <p className="crash-now">{crashSentence(plan.data)}</p> : null;
}

function OpenTurn({ turn, limits }: { turn: TurnSummary; limits: Limits }): ReactElement {
  const isRunning = turn.state === 'running';
  const needsWord =
    turn.state === 'held' || turn.state === 'parked' || turn.state === 'requires_action';
  const nowMs = useNow(isRunning ? 'second' : 'minute');
  const meters = metersOf(turn, limits, nowMs);
  return (
    <section>
      <SectionHead title={t('turn.title', { id: turn.id })}>
        <span className="end">
          <StateChip state={turn.state} />
        </span>
      </SectionHead>
      <div className="card padded sm">
        <dl className="facts">
          <Fact name={t('session.steps')}>{turn.steps}</Fact>
          <Fact name={t('session.reused')}>
            {turn.attempt > 1 ? (
              <>
                {turn.reused}{' '}
                <span className="t3">{t('turn.resumed', { count: turn.attempt - 1 })}</span>
              </>
            ) : (
              t('session.notResumed')
            )}
          </Fact>
          {turn.usage.costUsd === undefined || meters.some(({ kind }) => kind === 'cost') ? null : (
            <Fact name={t('session.cost')}>{moneyText(turn.usage.costUsd)}</Fact>
          )}
          {/* The page header shows what it waits for. */}
          {turn.reason === '' || turn.state === 'requires_action' ? null : (
            <Fact name={t('session.why')} text={localClocks(turn.reason)} />
          )}
        </dl>
        {meters.length === 0 ? null : (
          <div className="meters">
            {meters.map((meter) => (
              <div key={meter.kind} className="meter">
                {meter.text}
                <span className="meter-bar" aria-hidden="true">
                  <span style={{ width: `${Math.round(meter.share * 100)}%` }} />
                </span>
              </div>
            ))}
            <p className="xs t3">{t('meter.about')}</p>
          </div>
        )}
        <p className="aligned session-links">
          <a href={hrefOf({ kind: 'turn', turnId: turn.id })}>{t('session.showSteps')}</a>
          {needsWord ? (
            <a
              href={hrefOf({ kind: 'decisions', turnId: turn.id })}
              aria-label={t('session.decide')}
            >
              {t('nav.decisions')}
            </a>
          ) : null}
          {isRunning ? null : (
            <span className="end">
              <StopButton turnId={turn.id} name={turn.promptStart} />
            </span>
          )}
        </p>
      </div>
    </section>
  );
}
