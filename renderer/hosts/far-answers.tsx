/**
 * The answers to a decision on another computer: the same as for a local one, executed there. No
 * filled button and no key, as for local ones. HO-02
 */
import { Ban, Check, RefreshCw, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { FarAnswer, FarCall, FarTurn } from '../../shared/types';
import { useCommand } from '../bridge';
import { AnswerNote } from '../decisions/answer-note';
import { approvalOffers, type Scope } from '../decisions/approval-view';
import { stepOffers, turnOffers, type Answering } from '../decisions/decision-view';
import { OfferButton } from '../decisions/offer-button';
import { ScopeRows } from '../decisions/scope-rows';
import { oneLine } from '../parts/inert-view';
import { CommandLine, TroubleNote } from '../parts/texts';
import { farCommand, outcomeSaid, type FarEntry } from './far-inbox-view';

export interface FarAnswersProps {
  readonly entry: FarEntry;
  /** The outcome of an answer in sentences, and whether it counted. */
  readonly onSaid: (said: string, isOver: boolean) => void;
}

type OnAnswer = (answer: FarAnswer) => void;

export function FarAnswers({ entry, onSaid }: FarAnswersProps): ReactElement {
  const { ask, host } = entry;
  const command = useCommand('hosts.answer');
  const onAnswer = (answer: FarAnswer): void => {
    command.clear();
    void command.run({ host, requestHash: ask.requestHash, answer }).then((told) => {
      if (told.ok) onSaid(outcomeSaid(host, told.value), told.value.outcome === 'counted');
    });
  };
  const isBusy = command.isBusy;
  return (
    <>
      <TroubleNote trouble={command.trouble} />
      {ask.kind === 'turn' ? (
        <TurnAnswers turn={ask} isBusy={isBusy} onAnswer={onAnswer} />
      ) : (
        <CallAnswers call={ask} isBusy={isBusy} onAnswer={onAnswer} />
      )}
      <p className="sm t3">
        {t(isBusy ? 'inbox.far.sending' : 'inbox.far.carriedOut', { name: oneLine(host, 64) })}
      </p>
      <CommandLine command={farCommand(entry)} />
    </>
  );
}

function CallAnswers({
  call,
  isBusy,
  onAnswer,
}: {
  call: FarCall;
  isBusy: boolean;
  onAnswer: OnAnswer;
}): ReactElement {
  const [scope, setScope] = useState<Scope>('once');
  const [note, setNote] = useState('');
  const { requestId, wantsResult, isTruncated } = call;
  const offers = approvalOffers({ ...call, kind: wantsResult ? 'custom_tool' : 'approval' });
  const said = note.trim();
  // What cannot be shown completely here must be allowed where it can be.
  const mayAllow = !wantsResult && !isTruncated;
  return (
    <>
      <AnswerNote value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      {mayAllow ? (
        <ScopeRows request={call} isFar scope={scope} isDisabled={isBusy} onPick={setScope} />
      ) : (
        <p className="sm t2">{t(wantsResult ? 'inbox.far.resultThere' : 'inbox.far.allowThere')}</p>
      )}
      <div className="decision-actions decision-foot">
        {mayAllow ? (
          <OfferButton
            words={offers[scope]}
            isDisabled={isBusy}
            icon={<Check className="icon small" />}
            onClick={() => onAnswer({ kind: 'allow', requestId, scope })}
          />
        ) : null}
        <OfferButton
          words={offers.deny}
          isDisabled={isBusy}
          icon={<X className="icon small" />}
          onClick={() =>
            onAnswer({ kind: 'deny', requestId, ...(said === '' ? {} : { note: said }) })
          }
        />
      </div>
    </>
  );
}

function TurnAnswers({
  turn,
  isBusy,
  onAnswer,
}: {
  turn: FarTurn;
  isBusy: boolean;
  onAnswer: OnAnswer;
}): ReactElement {
  const { turnId, unknown } = turn;
  const { resume, discard } = turnOffers({
    kind: turn.waits,
    ambiguous: unknown,
    plan: { reused: turn.reused },
  });
  const send = (answering: Answering): void => onAnswer({ ...answering, turnId });
  return (
    <>
      {unknown.map((step) => {
        const { confirm, skip } = stepOffers(step);
        return (
          <div key={step.index} className="decision-actions">
            {unknown.length > 1 ? (
              <span className="sm t3">{t('inbox.far.stepNumber', { number: step.index })}</span>
            ) : null}
            <OfferButton
              words={confirm}
              isDisabled={isBusy}
              icon={<Check className="icon small" />}
              onClick={() => send(confirm.answering)}
            />
            <OfferButton
              words={skip}
              isDisabled={isBusy}
              icon={<Ban className="icon small" />}
              onClick={() => send(skip.answering)}
            />
          </div>
        );
      })}
      <div className="decision-actions decision-foot">
        <OfferButton
          words={resume}
          isDisabled={isBusy}
          icon={<RefreshCw className="icon small" />}
          onClick={() => send(resume.answering)}
        />
        <OfferButton
          words={discard}
          look="destructive"
          isDisabled={isBusy}
          icon={<Trash2 className="icon small" />}
          onClick={() => send(discard.answering)}
        />
      </div>
    </>
  );
}
