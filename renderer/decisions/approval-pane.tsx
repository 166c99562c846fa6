/** An approval in full: the question, its reason, the exact input, and what each answer does. */
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { ApprovalView } from '../../shared/types';
import { useVerb } from '../bridge';
import { CallInput } from './call-input';
import { Chip, PurityIcon, Tile } from '../parts/state-chip';
import { oneLine } from '../parts/inert-view';
import { At, Inert } from '../parts/texts';
import { Address } from '../parts/address';
import { hrefOf } from '../route';
import { ApprovalAnswers } from './approval-answers';
import { answerText, answeredBy, approvalQuestion, plainTool, purityOf } from './approval-view';
import { DraftsOfSession } from './drafts-of-session';
import { StepsBefore } from './steps-before';
import type { ApprovalEnds } from './use-approval';
import './approval.css';
import './decisions.css';
import { IdDetails } from '../parts/id-details';
import { QuestionText } from './question-text';
import { SessionName } from '../session/session-name';
import { agentTitle } from '../agents/agent-titles';

interface ApprovalPaneProps extends ApprovalEnds {
  readonly request: ApprovalView;
  /** On the turn's own page the link to it and the steps before are left out. */
  readonly isOnTurnPage?: boolean;
}

export function ApprovalPane({
  request,
  isOnTurnPage = false,
  ...ends
}: ApprovalPaneProps): ReactElement {
  const isOpen = request.answer === undefined;
  const tool = plainTool(request.tool);
  const isCustom = request.kind === 'custom_tool';
  return (
    <div className="decision">
      <div className="flex decision-head">
        <Tile
          tone={isOpen ? 'attention' : request.answer === 'cleared' ? 'muted' : 'ok'}
          mark={isOpen ? 'shield' : request.answer === 'cleared' ? 'stop' : 'check'}
        />
        <div className="grow">
          <div className="xs t3">{t(`approval.kind.${request.kind}`)}</div>
          <h2 className="decision-question">
            <QuestionText text={approvalQuestion(request)} />
          </h2>
          <p className="t2 wrap">
            {isOpen
              ? t(isCustom ? 'approval.wantsResult' : 'approval.wants', {
                  name: oneLine(agentTitle(request.agent), 64),
                })
              : answerText(request)}
          </p>
        </div>
        {isOpen ? (
          <Chip tone="attention" mark="clock">
            {t('decide.since')} <At atMs={request.requestedAtMs} />
          </Chip>
        ) : (
          <Chip tone={request.answer === 'cleared' ? 'muted' : 'ok'} mark="check">
            <At atMs={request.answeredAtMs ?? request.requestedAtMs} />
          </Chip>
        )}
      </div>
      <section>
        <div className="sm t3 decision-input-label">
          {t(
            isCustom
              ? 'approval.inputLabelResult'
              : request.file === undefined
                ? 'approval.inputLabel'
                : 'edit.label',
          )}
        </div>
        <CallInput
          args={request.args}
          isTruncated={request.isTruncated}
          requestId={request.answer === undefined ? request.requestId : undefined}
          file={request.file}
          label={t('approval.inputOf', { name: tool })}
        />
      </section>
      <Facts request={request} isOnTurnPage={isOnTurnPage} />
      {isOnTurnPage ? null : <StepsBefore turnId={request.turnId} beforeStep={undefined} />}
      {isOpen ? <ApprovalAnswers request={request} footClass="decision-foot" {...ends} /> : null}
    </div>
  );
}

function Facts({
  request,
  isOnTurnPage,
}: {
  request: ApprovalView;
  isOnTurnPage: boolean;
}): ReactElement {
  const tools = useVerb('tools.list', {});
  const isCustom = request.kind === 'custom_tool';
  const purity = purityOf(request, tools.data?.tools ?? []);
  return (
    <dl className="facts decision-facts">
      {request.goesTo === undefined ? null : (
        <Fact name={t('approval.goesTo')}>
          <span className="mono wrap">
            <Address text={request.goesTo.address} />
          </span>
          <div className="sm t3">
            {t('approval.goesToAbout', { name: oneLine(request.goesTo.name, 64) })}
          </div>
        </Fact>
      )}
      {request.notTold === undefined ? null : (
        <Fact name={t('approval.goesTo')} text={t('approval.notTold', { text: request.notTold })} />
      )}
      {request.folder === undefined ? null : (
        <Fact name={t('question.folder')} className="mono">
          <Address text={request.folder} />
        </Fact>
      )}
      <Fact name={t('approval.why')} text={request.reason} />
      <Fact name={t('decide.tool')}>
        <Inert className="mono" text={plainTool(request.tool)} />
      </Fact>
      {isCustom ? null : (
        <Fact name={t('decide.effect')}>
          <span className="decision-effect">
            <PurityIcon purity={purity} withLabel />
          </span>
          <span className="t2">: {t(`decide.effect.${purity}`)}</span>
        </Fact>
      )}
      <Fact name={t('decide.task')} text={request.promptStart} />
      <Fact name={t('decide.agent')}>
        <Inert text={agentTitle(request.agent)} />
        {isOnTurnPage ? null : (
          <>
            {', '}
            <a href={hrefOf({ kind: 'turn', turnId: request.turnId })}>
              {t('decide.openTurn', { id: request.turnId })}
            </a>
          </>
        )}
      </Fact>
      <DraftsOfSession sessionId={request.sessionId} />
      <Fact name={t('approval.session')}>
        <a href={hrefOf({ kind: 'sessions', sessionId: request.sessionId })}>
          <SessionName sessionKey={request.sessionKey} />
        </a>
        <IdDetails
          ids={[
            { label: t('session.key'), value: request.sessionKey },
            {
              label: t('approval.hash'),
              value: request.inputHash,
              about: t('approval.hashAbout'),
            },
          ]}
        />
      </Fact>
      {request.by === undefined ? null : (
        <Fact name={t('approval.by')}>{answeredBy(request.by)}</Fact>
      )}
      {request.note === undefined || request.note === '' ? null : (
        <Fact name={t('approval.noteSaid')} className="inert" text={request.note} />
      )}
    </dl>
  );
}
