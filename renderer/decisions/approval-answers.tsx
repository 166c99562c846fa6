/**
 * The answers to a permission request: the same in Decisions, in the session and on the turn's
 * page. Allowing has no filled button and no key: what is requested cannot be undone or leaves the
 * computer.
 */
import { ActionIcon, Button, Menu, Textarea, Tooltip } from '@mantine/core';
import { Check, CheckCheck, Ellipsis, Settings2, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent as ReactKeyboardEvent, ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { ApprovalView } from '../../shared/types';
import { isMac, placeOfFocus } from '../keys/key-place';
import { isKey, keyText } from '../keys/keys-view';
import { Mark } from '../parts/state-chip';
import { NoteLine, TroubleNote } from '../parts/texts';
import { approvalOffers, plainTool } from './approval-view';
import { OfferButton } from './offer-button';
import { KeptMark } from '../unsent/kept-mark';
import { useUnsent } from '../unsent/use-unsent';
import { useApproval } from './use-approval';
import type { ApprovalEnds } from './use-approval';
import './approval.css';

/** Above this a result belongs into a file: the contract takes no more. */
const MOST_CHARS = 4_000_000;

export function ApprovalAnswers({
  request,
  footClass = '',
  children,
  ...ends
}: ApprovalEnds & {
  readonly request: ApprovalView;
  readonly footClass?: string;
  /** Rendered at the end of the row of buttons. */
  readonly children?: ReactNode;
}): ReactElement {
  // Both go from the disk in the commit of the answer.
  const noteField = useUnsent(`note/${String(request.requestId)}`);
  const outputField = useUnsent(`result/${String(request.requestId)}`);
  const { text: note } = noteField;
  const { text: output } = outputField;
  const { answer, isBusy, missed, trouble } = useApproval(request, {
    ...ends,
    onSettled(said) {
      noteField.sent(note);
      outputField.sent(output);
      ends.onSettled(said);
    },
  });
  const [isAskingAlways, setAskingAlways] = useState(false);
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
  return (
    <>
      {missed === undefined ? null : (
        <NoteLine
          tone="attention"
          role="alert"
          mark={<Mark name="triangle" className="icon small" />}
        >
          {t(`approval.${missed}`)}
        </NoteLine>
      )}
      <TroubleNote trouble={trouble} />
      {isCustom ? (
        <Textarea
          ref={field}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={MOST_CHARS}
          label={t('approval.result', { name: tool })}
          placeholder={t('approval.resultHint')}
          value={output}
          onChange={(event) => outputField.change(event.currentTarget.value)}
          onKeyDown={onKey(give, output.trim() !== '')}
          data-approval-field
        />
      ) : null}
      {isCustom ? <KeptMark keeping={outputField.keeping} /> : null}
      <Textarea
        ref={isCustom ? undefined : field}
        autosize
        minRows={1}
        maxRows={6}
        maxLength={4000}
        label={t('approval.note')}
        placeholder={t('approval.noteHint')}
        value={note}
        onChange={(event) => noteField.change(event.currentTarget.value)}
        onKeyDown={onKey(deny, note.trim() !== '')}
        {...(isCustom ? {} : { 'data-approval-field': true })}
      />
      <KeptMark keeping={noteField.keeping} />
      {isAskingAlways ? (
        <AlwaysQuestion
          words={offers.always}
          isBusy={isBusy}
          onYes={() => void answer({ kind: 'allow', scope: 'always' })}
          onNo={() => setAskingAlways(false)}
        />
      ) : null}
      <div className={`decision-actions ${footClass}`} data-approval-answers>
        {isCustom ? (
          <OfferButton
            words={offers.result}
            look="filled"
            isDisabled={isBusy || output.trim() === ''}
            icon={<Check className="icon small" aria-hidden="true" />}
            onClick={() => void answer({ kind: 'result', output })}
          />
        ) : (
          <>
            <OfferButton
              words={offers.once}
              isDisabled={isBusy}
              icon={<Check className="icon small" aria-hidden="true" />}
              onClick={() => void answer({ kind: 'allow', scope: 'once' })}
            />
            <OfferButton
              words={offers.session}
              isDisabled={isBusy}
              icon={<CheckCheck className="icon small" aria-hidden="true" />}
              onClick={() => void answer({ kind: 'allow', scope: 'session' })}
            />
          </>
        )}
        <OfferButton
          words={offers.deny}
          isDisabled={isBusy}
          icon={<X className="icon small" aria-hidden="true" />}
          onClick={() => void answer({ kind: 'deny', note })}
        />
        {isCustom ? null : (
          <MoreMenu
            label={offers.always.label}
            isBusy={isBusy}
            onAlways={() => setAskingAlways(true)}
          />
        )}
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

/** The keys that lead to the field and to the first answer of the first question on the page. */
function useFieldKey(): (element: HTMLTextAreaElement | null) => void {
  const field = useRef<HTMLTextAreaElement | null>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const place = placeOfFocus(event.target);
      const toField = isKey('answerField', event);
      if (!(toField || isKey('toAnswer', event)) || place.isTyping || place.isInDialog) return;
      if (document.querySelector('[data-approval-field]') !== field.current) return;
      event.preventDefault();
      if (toField) field.current?.focus();
      else document.querySelector<HTMLElement>('[data-approval-answers] button')?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (element) => {
    field.current = element;
  };
}

/** Seldom right, so it is in a menu and asks for confirmation. */
function MoreMenu({
  label,
  isBusy,
  onAlways,
}: {
  label: string;
  isBusy: boolean;
  onAlways: () => void;
}): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t('common.more')}>
          <ActionIcon variant="default" size={30} aria-label={t('approval.more')} disabled={isBusy}>
            <Ellipsis className="icon small" aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Settings2 className="icon small" aria-hidden="true" />}
          onClick={onAlways}
        >
          {label}
          <div className="sm t3 offer-in-menu">{t('approval.alwaysAbout')}</div>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AlwaysQuestion({
  words,
  isBusy,
  onYes,
  onNo,
}: {
  words: ReturnType<typeof approvalOffers>['always'];
  isBusy: boolean;
  onYes: () => void;
  onNo: () => void;
}): ReactElement {
  return (
    <NoteLine tone="attention" role="alert" mark={<Mark name="triangle" className="icon small" />}>
      <p>{words.ask}</p>
      <div className="flex flex-wrap approval-always">
        <Button size="xs" data-size="xs" disabled={isBusy} onClick={onYes}>
          {words.yes}
        </Button>
        <Button size="xs" data-size="xs" onClick={onNo}>
          {t('approval.alwaysNo')}
        </Button>
      </div>
    </NoteLine>
  );
}
