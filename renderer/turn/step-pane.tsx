/** One step in full: its facts, its input, its output. */
import { Button } from '@mantine/core';
import { useCallback, useEffect, useRef, type ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { answererText } from '../../shared/answered-by';
import { t } from '../../shared/messages';
import type { StepView } from '../../shared/types';
import { tookMsOf, type Call } from '../charts/step-timeline-plan';
import { triedText, metText, triesOf } from '../charts/step-tries';
import { answeredBy } from '../decisions/approval-view';
import { isOwnEscape, useEscCloses } from '../keys/own-escape';
import { ExactInput } from '../parts/exact-input';
import { oneLine } from '../parts/inert-view';
import { useVerb } from '../bridge';
import { DuplicateTag, OutcomeTag, PurityIcon } from '../parts/state-chip';
import { At, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { durationText, moneyText, clockText } from '../parts/time-view';
import { toolName } from '../parts/tool-name';
import { TurnText } from './turn-text';

/** Absent if the call was tried once. S2-02, S2-25. */
function StepTries({ call }: { call: Call }): ReactElement | null {
  const tries = triesOf(call);
  if (tries.length === 0) return null;
  return (
    <div className="step-tries">
      <div className="sm t3">{t('step.triesTitle')}</div>
      <ol className="sm" aria-label={t('step.tries', { step: call.step.index })}>
        {tries.map((one) => (
          <li key={one.number}>
            <span className="t3">{t('try.number', { count: one.number })}</span>
            <At atMs={one.toMs} withSeconds />
            <span className="wrap">
              <span className="m5">{metText(one)}</span> <Inert className="t2" text={one.error} />
            </span>
            <span className="t3">
              {one.wasRepeated
                ? t('try.waited', { duration: durationText(one.waitMs) })
                : t('try.waits', {
                    time: clockText(one.toMs + one.waitMs, one.toMs + one.waitMs, undefined, true),
                  })}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Texts of a step are cut at this length; `isTruncated` does not say which of the two was. */
const CUT_FROM = 4000;

interface StepPaneProps {
  readonly call: Call;
  /** Other calls of the same row: the one it repeats, and those that repeat it. */
  readonly others: readonly StepView[];
  readonly isScripted: boolean;
  readonly onPick: (step: number) => void;
  readonly onClose: () => void;
}

export function StepPane(props: StepPaneProps): ReactElement {
  const { call, others, isScripted, onPick, onClose } = props;
  const { step } = call;
  const tookMs = tookMsOf(call);
  const tried = triedText(call);
  const box = useRef<HTMLElement>(null);
  // Below a long timeline the pane would open outside the visible part; it grows as its texts load.
  const intoSight = useCallback(() => box.current?.scrollIntoView?.({ block: 'nearest' }), []);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    intoSight();
  }, [step.index, intoSight]);
  useEscCloses(true, onClose);
  return (
    <section
      className="card padded step-pane"
      ref={box}
      tabIndex={-1}
      data-esc-closes="true"
      aria-label={t('step.label', { step: step.index })}
      onKeyDown={(event) => {
        if (!isOwnEscape(event)) return;
        event.preventDefault();
        onClose();
      }}
    >
      <SectionHead
        title={t('step.label', { step: step.index })}
        count={
          <span className="mono">
            {isScripted && step.purity === 'llm'
              ? t('purity.scripted')
              : oneLine(toolName(step.tool))}
          </span>
        }
      >
        <OutcomeTag step={step} />
        {tried === '' ? null : <span className="sm t2">{tried}</span>}
        <DuplicateTag step={step} />
        <Button size="xs" variant="subtle" className="end" onClick={onClose}>
          {t('common.close')}
        </Button>
      </SectionHead>
      <dl className="facts step-facts">
        <Fact name={t('table.class')}>
          <PurityIcon purity={step.purity} isScripted={isScripted} withLabel />
        </Fact>
        <Fact name={t('table.started')}>
          <At atMs={step.startedAtMs} withSeconds />
        </Fact>
        <Fact name={t('table.took')}>
          {tookMs === undefined ? undefined : durationText(tookMs)}
        </Fact>
        <Fact name={t('table.attempt')}>{step.attempt}</Fact>
        <Fact name={t('step.answeredBy')}>
          {step.answeredBy === undefined ? undefined : oneLine(answererText(step.answeredBy), 200)}
        </Fact>
        <Fact name={t('step.reusedCount')}>
          {step.state === 'skipped'
            ? undefined
            : t('step.reusedTimes', { count: step.reusedCount })}
        </Fact>
        {others.length === 0 ? null : (
          <Fact name={t('step.sameCall')}>
            {others.map((other) => (
              <button
                key={other.index}
                type="button"
                className="link-button"
                onClick={() => onPick(other.index)}
              >
                {t('step.number', { step: other.index })}
              </button>
            ))}
          </Fact>
        )}
        <Fact name={t('approval.approved')}>
          {step.approvedBy === undefined ? undefined : answeredBy(step.approvedBy)}
        </Fact>
        <Fact name={t('step.listed')}>{step.isListed ? t('step.listedAbout') : undefined}</Fact>
        <Fact name={t('step.key')}>
          {step.idempotencyKey === undefined ? undefined : (
            <span className="mono">{step.idempotencyKey}</span>
          )}
        </Fact>
        <Fact name={t('step.tokens')}>
          {step.usage === undefined
            ? undefined
            : t('step.tokensText', {
                input: step.usage.inputTokens,
                output: step.usage.outputTokens,
              })}
        </Fact>
        <Fact name={t('table.cost')}>
          {step.usage?.costUsd === undefined ? undefined : moneyText(step.usage.costUsd)}
        </Fact>
        <Fact name={t('step.error')}>
          {step.error === undefined ? undefined : <Inert className="inert" text={step.error} />}
        </Fact>
      </dl>
      <StepTries call={call} />
      <StepTexts turnId={step.turnId} step={step.index} onRead={intoSight} />
    </section>
  );
}

/** Input and output, loaded only for the open step. */
function StepTexts({
  turnId,
  step,
  onRead,
}: {
  turnId: number;
  step: number;
  onRead: () => void;
}): ReactElement {
  const full = useVerb('turns.step', { turnId, step });
  const isRead = full.data !== undefined;
  useEffect(() => {
    if (isRead) onRead();
  }, [isRead, step, onRead]);
  const { args, result, isTruncated } = full.data ?? {};
  return (
    <>
      <TroubleNote trouble={full.trouble} />
      {full.isLoading ? <p className="sm t3">{t('common.loading')}</p> : null}
      <div className="step-texts">
        {args === undefined ? null : (
          <div className="step-text">
            <div className="sm t3 decision-input-label">{t('step.args')}</div>
            <ExactInput
              args={args}
              isTruncated={args.length >= CUT_FROM && isTruncated === true}
              label={t('step.args')}
            />
          </div>
        )}
        {result === undefined ? null : (
          <div className="step-text">
            <div className="sm t3 decision-input-label">{t('step.result')}</div>
            <TurnText
              key={step}
              wanted={{ turnId, step, part: 'result' }}
              start={result}
              isTruncated={result.length >= CUT_FROM && isTruncated === true}
              label={t('step.result')}
            />
          </div>
        )}
      </div>
    </>
  );
}
