/**
 * A pending decision on another computer, in full: its host, the question, its reason and the exact
 * input. HO-02
 */
import { Inbox } from 'lucide-react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { FarAsk, FarCall, FarTurn } from '../../shared/types';
import { CallInput } from '../decisions/call-input';
import { plainTool } from '../decisions/approval-view';
import { QuestionText } from '../decisions/question-text';
import { ExactInput } from '../parts/exact-input';
import { oneLine } from '../parts/inert-view';
import { Chip, PurityIcon } from '../parts/state-chip';
import { Address } from '../parts/address';
import { At, EmptyState, Inert } from '../parts/texts';
import { toolName } from '../parts/tool-name';
import { FarAnswers, type FarAnswersProps } from './far-answers';
import { FarTile } from './far-entries';
import { farTitle, type FarEntry } from './far-inbox-view';

/** The selected decision; if it was answered meanwhile, no other one replaces it. */
export const FarChoice = ({
  entry,
  onSaid,
}: Pick<FarAnswersProps, 'onSaid'> & { entry: FarEntry | undefined }): ReactElement =>
  entry === undefined ? (
    <EmptyState mark={<Inbox size={28} />} sentence={t('inbox.far.gone')} />
  ) : (
    <FarPane entry={entry} onSaid={onSaid} />
  );

function FarPane({ entry, onSaid }: FarAnswersProps): ReactElement {
  const { ask, host } = entry;
  const name = oneLine(host, 64);
  return (
    <div className="decision">
      <div className="flex decision-head">
        <FarTile entry={entry} />
        <div className="grow">
          <div className="xs t3">{t('inbox.far', { name })}</div>
          <h2 className="decision-question">
            <QuestionText text={farTitle(ask)} />
          </h2>
          <p className="t2 wrap">{t('inbox.far.about', { name })}</p>
        </div>
        <Chip tone="attention" mark="clock">
          {t('decide.since')} <At atMs={ask.askedAtMs} />
        </Chip>
      </div>
      {ask.kind === 'call' ? (
        <section>
          <div className="sm t3 decision-input-label">{t('approval.inputLabel')}</div>
          <CallInput
            args={ask.args}
            isTruncated={ask.isTruncated}
            file={ask.file}
            label={t('approval.inputOf', { name: plainTool(ask.tool) })}
          />
        </section>
      ) : (
        <UnknownSteps turn={ask} />
      )}
      <FarFacts ask={ask} host={name} />
      <FarAnswers entry={entry} onSaid={onSaid} />
    </div>
  );
}

function UnknownSteps({ turn }: { turn: FarTurn }): ReactElement | null {
  if (turn.unknown.length === 0) return null;
  return (
    <>
      {turn.unknown.map((step) => (
        <section key={step.index} className="decision-step">
          <div className="flex sm decision-input-label">
            <PurityIcon purity={step.purity} />
            <Inert text={t('inbox.far.step', { number: step.index, name: toolName(step.tool) })} />
          </div>
          <ExactInput
            args={step.args}
            isTruncated={step.isTruncated}
            label={t('approval.inputOf', { name: plainTool(step.tool) })}
          />
        </section>
      ))}
    </>
  );
}

function FarFacts({ ask, host }: { ask: FarAsk; host: string }): ReactElement {
  return (
    <dl className="facts decision-facts">
      <Fact name={t('inbox.far.host')}>{host}</Fact>
      {ask.kind === 'call' ? <GoesTo call={ask} /> : null}
      {ask.folder === undefined ? null : (
        <Fact name={t('question.folder')} className="mono">
          <Address text={ask.folder} />
        </Fact>
      )}
      <Fact name={t('approval.why')} text={ask.reason} />
      {ask.kind === 'call' ? (
        <Fact name={t('decide.tool')} className="mono" text={plainTool(ask.tool)} />
      ) : null}
      <Fact name={t('decide.task')} text={ask.promptStart} />
      <Fact
        name={t('decide.agent')}
        text={t('inbox.far.turn', { name: ask.agent, number: ask.turnId })}
      />
      <Fact name={t('approval.session')} text={ask.sessionKey} />
    </dl>
  );
}

function GoesTo({ call: { goesTo, notTold } }: { call: FarCall }): ReactElement | null {
  if (goesTo === undefined && notTold === undefined) return null;
  return (
    <Fact
      name={t('approval.goesTo')}
      className="wrap"
      text={goesTo?.address ?? t('approval.notTold', { text: notTold ?? '' })}
    />
  );
}
