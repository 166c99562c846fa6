/**
 * The answers to a permission request: the same in Decisions, in the session and on the turn's
 * page. Allowing has no filled button and no key, because the requested action cannot be undone or
 * leaves the computer.
 */
import { Textarea } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { Check, CheckCheck, X } from 'lucide-react';
import { useRef, useState } from 'react';
import type { KeyboardEvent as ReactKeyboardEvent, ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { ApprovalView } from '../../shared/types';
import { isMac, placeOfFocus } from '../keys/key-place';
import { isKey, keyText } from '../keys/keys-view';
import { oneLine } from '../parts/inert-view';
import { Outdated, TroubleNote } from '../parts/texts';
import { AnswerNote } from './answer-note';
import { approvalOffers, plainTool } from './approval-view';
import type { Scope } from './approval-view';
import { OfferButton } from './offer-button';
import { ScopeRows } from './scope-rows';
import { KeptMark } from '../unsent/kept-mark';
import { useUnsent } from '../unsent/use-unsent';
import { useApproval } from './use-approval';
import type { ApprovalEnds } from './use-approval';
import './approval.css';
import { agentTitle } from '../agents/agent-titles';

/** Above this a result belongs into a file: the contract takes no more. */
const MAX_CHARS = 4_000_000;

export function ApprovalAnswers({
  request,
  footClass = '',
  children,
  ...ends
}: ApprovalEnds & {
  readonly request: ApprovalView;
  readonly footClass?: string;
  /** Rendered at the end of the button row. */
  readonly children?: ReactNode;
}): ReactElement {
  // Both are removed from the disk in the commit of the answer.
  const noteField = useUnsent(`note/${String(request.requestId)}`);
  const outputField = useUnsent(`result/${String(request.requestId)}`);
  const { text: note } = noteField;
  const { text: output } = outputField;
  const { answer, isBusy, isDeniedSoon, missed, trouble } = useApproval(request, {
    ...ends,
    onSettled(said, kind) {
      noteField.sent(note);
      outputField.sent(output);
      ends.onSettled(said, kind);
    },
  });
  const [scope, setScope] = useState<Scope>('once');
  const offers = approvalOffers(request);
  const isCustom = request.kind === 'custom_tool';
  const tool = plainTool(request.tool);
  const field = useFieldKey();
  const deny = (): Promise<void> => answer({ kind: 'deny', note });
  const give = (): Promise<void> => answer({ kind: 'result', output });
  const onKey =
    (run: () => Promise<void>, isReady: boolean) =>
    (event: ReactKeyboardEvent): void => {
      if (!isKey('answer', event, isMac())) return;
      event.preventDefault();
      if (isReady && !isBusy) void run();
    };
  if (isDeniedSoon)
    return (
      <p role="status" className="note-line tone-muted">
        {t('approval.deniedSoonHere', { name: oneLine(agentTitle(request.agent), 64) })}
      </p>
    );
  return (
    <>
      {missed === undefined ? null : <Outdated>{t(`approval.${missed}`)}</Outdated>}
      <TroubleNote trouble={trouble} />
      {isCustom ? (
        <Textarea
          ref={field}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={MAX_CHARS}
          label={t('approval.result', { name: tool })}
          placeholder={t('approval.resultHint')}
          value={output}
          onChange={(event) => outputField.change(event.currentTarget.value)}
          onKeyDown={onKey(give, output.trim() !== '')}
          data-approval-field
        />
      ) : null}
      {isCustom ? <KeptMark keeping={outputField.keeping} /> : null}
      <AnswerNote
        ref={isCustom ? undefined : field}
        value={note}
        onChange={(event) => noteField.change(event.currentTarget.value)}
        onKeyDown={onKey(deny, note.trim() !== '')}
        {...(isCustom ? {} : { 'data-approval-field': true })}
      />
      <KeptMark keeping={noteField.keeping} />
      {isCustom ? null : (
        <ScopeRows request={request} scope={scope} isDisabled={isBusy} onPick={setScope} />
      )}
      <div className={`decision-actions ${footClass}`} data-approval-answers>
        {isCustom ? (
          <OfferButton
            words={offers.result}
            look="filled"
            isDisabled={isBusy || output.trim() === ''}
            icon={<Check className="icon small" />}
            onClick={() => void answer({ kind: 'result', output })}
          />
        ) : (
          <OfferButton
            words={offers[scope]}
            isDisabled={isBusy}
            icon={
              scope === 'once' ? (
                <Check className="icon small" />
              ) : (
                <CheckCheck className="icon small" />
              )
            }
            onClick={() => void answer({ kind: 'allow', scope })}
          />
        )}
        <OfferButton
          words={offers.deny}
          isDisabled={isBusy}
          icon={<X className="icon small" />}
          onClick={() => void answer({ kind: 'deny', note })}
        />
        {children}
      </div>
      <p className="xs t3 approval-keys">
        {t('approval.fieldKeys', {
          text: keyText('answer', isMac()),
          what: t(isCustom ? 'approval.giveResult' : 'approval.deny'),
        })}
      </p>
    </>
  );
}

/** The keys that focus the field and the first answer of the page's first question. */
function useFieldKey(): (element: HTMLTextAreaElement | null) => void {
  const field = useRef<HTMLTextAreaElement | null>(null);
  useWindowEvent('keydown', (event) => {
    const place = placeOfFocus(event.target);
    const toField = isKey('answerField', event);
    if (!(toField || isKey('toAnswer', event)) || place.isTyping || place.isInDialog) return;
    if (document.querySelector('[data-approval-field]') !== field.current) return;
    event.preventDefault();
    if (toField) field.current?.focus();
    else document.querySelector<HTMLElement>('[data-approval-answers] button')?.focus();
  });
  return (element) => {
    field.current = element;
  };
}
