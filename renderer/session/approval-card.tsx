/** A call in the chat that waits for permission or for its result, shown in its place. */
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ApprovalView } from '../../shared/types';
import { ApprovalAnswers } from '../decisions/approval-answers';
import { approvalQuestion, plainTool } from '../decisions/approval-view';
import { QuestionText } from '../decisions/question-text';
import { CallInput } from '../decisions/call-input';
import { oneLine } from '../parts/inert-view';
import { Mark } from '../parts/state-chip';
import { At, Inert } from '../parts/texts';
import { hrefOf } from '../route';
import '../decisions/decisions.css';

/** The same component as in Decisions, with the same answers. */
export function ApprovalCard({
  request,
  onChanged,
}: {
  request: ApprovalView;
  onChanged: () => void;
}): ReactElement {
  const [said, setSaid] = useState('');
  const [isDenied, setDenied] = useState(false);
  return (
    <li className="card approval-card">
      <div className="aligned flex-wrap wait-head">
        <Mark name="shield" />
        <span className="m5">
          <QuestionText text={approvalQuestion(request)} />
        </span>
        <span className="sm t2">
          {t('decide.since')} <At atMs={request.requestedAtMs} withSeconds />
        </span>
        <a className="end sm m5" href={hrefOf({ kind: 'decisions', itemId: request.requestId })}>
          {t('approval.open')}
        </a>
      </div>
      <div className="wait-body">
        <div className="approval-asked">
          <CallInput
            args={request.args}
            isTruncated={request.isTruncated}
            requestId={request.answer === undefined ? request.requestId : undefined}
            file={request.file}
            label={t('approval.inputOf', { name: plainTool(request.tool) })}
          />
          {request.goesTo === undefined ? null : (
            <p className="sm t2 wrap">
              {t('approval.goesTo')}: <Inert className="mono" text={request.goesTo.address} />{' '}
              <span className="t3">
                {t('approval.goesToAbout', { name: oneLine(request.goesTo.name, 64) })}
              </span>
            </p>
          )}
          {request.notTold === undefined ? null : (
            <p className="sm t2 wrap">
              {t('approval.goesTo')}:{' '}
              <Inert text={t('approval.notTold', { text: request.notTold })} />
            </p>
          )}
          <p className="sm t2">
            {t('approval.why')}: <Inert text={request.reason} />
          </p>
        </div>
        {said === '' ? (
          <ApprovalAnswers
            request={request}
            onStale={onChanged}
            onSettled={(sentence, kind) => {
              setSaid(sentence);
              setDenied(kind === 'deny');
              onChanged();
            }}
          />
        ) : (
          <p role="status" className={`note-line ${isDenied ? 'tone-muted' : 'tone-ok'}`}>
            {said}
          </p>
        )}
      </div>
    </li>
  );
}
