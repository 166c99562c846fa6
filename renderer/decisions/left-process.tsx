/** A command that outlived a crash: its facts, and the possible actions. */
import { Clock, Play, Square } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { LeftProcessView } from '../../shared/types';
import { useCommand } from '../bridge';
import { useNow } from '../clock';
import { Mark } from '../parts/state-chip';
import { At, Outdated, TroubleNote } from '../parts/texts';
import { durationText } from '../parts/time-view';
import { hrefOf } from '../route';
import { OfferButton } from './offer-button';

/** Its outcome, or the user's answer about it; undefined if there is neither. */
function leftSentence({ state, answer }: LeftProcessView): string | undefined {
  switch (state) {
    case 'ended':
      return t('left.ended.by_itself');
    case 'ended_by_you':
      return t('left.ended.by_you');
    case 'ended_unseen':
      return t('left.ended.unseen');
    case 'running':
      return answer === undefined ? undefined : t(`left.said.${answer}`);
  }
}

interface LeftOffer {
  readonly answer: 'wait' | 'end' | 'leave';
  readonly words: { readonly label: string; readonly short: string; readonly effect: string };
}

/** Possible answers while it runs, except the one already given. */
function leftOffers({ state, answer, pid }: LeftProcessView): readonly LeftOffer[] {
  if (state !== 'running' || answer === 'leave') return [];
  const all = (['wait', 'end', 'leave'] as const).filter(
    (one) => one !== 'wait' || answer !== 'wait',
  );
  return all.map((one) => ({
    answer: one,
    words: {
      label: t(`left.${one}`),
      short: t(`left.${one}Short`),
      effect: t(`left.${one}Effect`, { number: pid }),
    },
  }));
}

const ICONS = {
  wait: <Clock className="icon small" />,
  end: <Square className="icon small filled" />,
  leave: <Play className="icon small" />,
} as const;

export function LeftProcess({
  process,
  onDone,
  isInQuestion = false,
}: {
  process: LeftProcessView;
  /** An answer is on disk, or the shown data is outdated. */
  onDone: () => void;
  /** Within the question about its turn, whose page is named there. */
  isInQuestion?: boolean;
}): ReactElement {
  const commands = {
    wait: useCommand('recovery.waitProcess'),
    end: useCommand('recovery.endProcess'),
    leave: useCommand('recovery.leaveProcess'),
  };
  const [isStale, setStale] = useState(false);
  const isBusy = Object.values(commands).some((command) => command.isBusy);
  const trouble = Object.values(commands)
    .map((command) => command.trouble)
    .find((given) => given !== undefined && given.code !== 'REQUEST_STALE');
  const answer = async (kind: keyof typeof commands): Promise<void> => {
    const { inboxId, requestHash } = process;
    const answered = await commands[kind].run({ inboxId, requestHash });
    setStale(!answered.ok && answered.code === 'REQUEST_STALE');
    onDone();
  };
  const sentence = leftSentence(process);
  const isRunning = process.state === 'running';
  return (
    <section
      className="stack left-process"
      aria-label={t(isRunning ? 'left.title' : 'left.titleOver')}
    >
      <h3 className="flex">
        <span className={`flex ink-${isRunning ? 'working' : 'ok'}`}>
          <Mark name={isRunning ? 'play' : 'check'} className="icon small" />
        </span>
        {t(isRunning ? 'left.title' : 'left.titleOver')}
      </h3>
      <LeftFacts process={process} isInQuestion={isInQuestion} />
      {sentence === undefined ? null : <p className="sm t2 wrap">{sentence}</p>}
      {isRunning && isInQuestion ? (
        <p className="sm ink-attention wrap">{t('left.twice')}</p>
      ) : null}
      {isStale ? <Outdated>{t('left.stale')}</Outdated> : null}
      <TroubleNote trouble={trouble} />
      <div className="decision-actions">
        {leftOffers(process).map((offer) => (
          <OfferButton
            key={offer.answer}
            words={offer.words}
            icon={ICONS[offer.answer]}
            isDisabled={isBusy}
            onClick={() => void answer(offer.answer)}
          />
        ))}
      </div>
    </section>
  );
}

function LeftFacts({
  process,
  isInQuestion,
}: {
  process: LeftProcessView;
  isInQuestion: boolean;
}): ReactElement {
  const { turnId, step } = process;
  return (
    <dl className="facts decision-facts">
      <Fact name={t('left.process')}>
        {process.processes > 1
          ? t('left.processes', { number: String(process.pid), count: process.processes })
          : String(process.pid)}
      </Fact>
      <Fact name={t('left.command')} className="mono wrap" text={process.command} />
      {process.state === 'running' ? (
        <Fact name={t('left.since')}>
          <Elapsed sinceMs={process.startedAtMs} /> <At atMs={process.startedAtMs} withSeconds />
        </Fact>
      ) : process.endedAtMs === undefined || process.state === 'ended_unseen' ? null : (
        <Fact name={t('left.ended')}>
          <At atMs={process.endedAtMs} withSeconds />
        </Fact>
      )}
      {isInQuestion || turnId === undefined ? null : (
        <Fact name={t('left.turn')}>
          <a href={hrefOf({ kind: 'turn', turnId })}>
            {step === undefined
              ? t('turn.title', { id: turnId })
              : t('left.step', { id: turnId, step })}
          </a>
        </Fact>
      )}
    </dl>
  );
}

/** The only part that changes: once a second, as text. */
function Elapsed({ sinceMs }: { sinceMs: number }): ReactElement {
  const nowMs = useNow('second');
  return <>{t('left.for', { duration: durationText(Math.max(0, nowMs - sinceMs)) })}</>;
}
