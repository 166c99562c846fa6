import { Button, Select, Textarea } from '@mantine/core';
import { Bot, Send } from 'lucide-react';
import { useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { t } from '../shared/messages';
import { useCommand, useVerb } from './bridge';
import { isMac } from './keys/key-place';
import { keyText } from './keys/keys-view';
import { oneLine } from './parts/inert-view';
import { TroubleNote } from './parts/texts';
import { KeptMark } from './unsent/kept-mark';
import { useUnsent } from './unsent/use-unsent';
import { agentTitle } from './agents/agent-titles';

/** Agents that can run now come first; the demo agent is always one of them. */
export function agentChoices(
  agents: readonly { readonly name: string; readonly problem?: string | undefined }[],
): { readonly value: string; readonly label: string; readonly disabled: boolean }[] {
  return agents
    .map((agent) => ({
      value: agent.name,
      label: agentTitle(agent.name),
      disabled: agent.problem !== undefined,
    }))
    .toSorted((a, b) => Number(a.disabled) - Number(b.disabled));
}

/**
 * An input to give an agent work. Ctrl/Cmd+Enter sends. The text remains until the answer confirms
 * that it is on disk, so a refusal loses nothing.
 */
export function AskBox({
  field: fieldName,
  session,
  fixedAgent,
  startsSession = false,
  placeholder,
  sendLabel,
  onSent,
  isFocused = false,
  lines = 2,
  tools,
  onPasteFiles,
  children,
}: {
  /** Its text is stored under this name until it is sent. */
  field: string;
  session?: string;
  fixedAgent?: string;
  /** Each message starts a new session; otherwise an agent has one that continues. */
  startsSession?: boolean;
  placeholder: string;
  sendLabel: string;
  onSent?: (sent: { readonly turnId: number; readonly sessionId: number }) => void;
  /** The window exists for this field. */
  isFocused?: boolean;
  /** Minimum number of lines; the field grows with its text. */
  lines?: 1 | 2;
  /** Buttons that add to the text: a path gets a separate line. */
  tools?: (add: (line: string) => void) => ReactNode;
  /** Accepts pasted files; without it, only text can be pasted. */
  onPasteFiles?: (files: readonly File[], add: (line: string) => void) => void;
  children?: ReactNode;
}): ReactElement {
  const agents = useVerb('agents.list', fixedAgent === undefined ? {} : undefined);
  const send = useCommand('send');
  const create = useCommand('session.create');
  // Created by a first try whose message was rejected: the next try uses it.
  const made = useRef<{ readonly agent: string; readonly key: string } | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const unsent = useUnsent(fieldName);
  const { text } = unsent;
  const [picked, setPicked] = useState<string | null>(null);
  const choices = agentChoices(agents.data?.agents ?? []);
  const agent = fixedAgent ?? picked ?? choices.find((choice) => !choice.disabled)?.value;

  const isPractice =
    fixedAgent === undefined &&
    agents.data?.agents.find((known) => known.name === agent)?.executor === 'practice';

  const add = (line: string): void =>
    unsent.change(text.trim() === '' ? line : `${text.trimEnd()}\n${line}`);

  const submit = async (): Promise<void> => {
    if (text.trim() === '' || send.isBusy || create.isBusy || agent === undefined) return;
    const kept = await unsent.sending();
    let key = session;
    if (startsSession) {
      if (made.current?.agent !== agent) {
        const created = await create.run({ agent, title: oneLine(text, 80) });
        if (!created.ok) return unsent.refused();
        made.current = { agent, key: created.value.key };
      }
      key = made.current.key;
    }
    const answer = await send.run({
      text,
      agent,
      ...(key === undefined ? {} : { session: key }),
      ...(kept === undefined ? {} : { unsent: kept }),
    });
    if (!answer.ok) return unsent.refused();
    made.current = undefined;
    unsent.sent(text);
    // Location of the next message's field; the button has nothing to send now.
    field.current?.focus({ preventScroll: true });
    onSent?.(answer.value);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    }
  };

  return (
    <section className="card ask" aria-label={t('ask.label')}>
      <Textarea
        ref={field}
        autoFocus={isFocused}
        autosize
        minRows={lines}
        maxRows={10}
        value={text}
        onChange={(event) => unsent.change(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (onPasteFiles === undefined || files.length === 0) return;
          event.preventDefault();
          onPasteFiles(files, add);
        }}
        placeholder={placeholder}
        aria-label={placeholder}
      />
      <div className="flex flex-wrap ask-foot">
        {fixedAgent === undefined ? (
          <Select
            aria-label={t('ask.agent')}
            data={choices}
            value={agent ?? null}
            onChange={setPicked}
            w={190}
            leftSection={<Bot className="icon small" />}
            nothingFoundMessage={t('ask.noAgents')}
          />
        ) : (
          <span className="flex t2">
            <Bot className="icon small" />
            {agentTitle(fixedAgent)}
          </span>
        )}
        <KeptMark keeping={unsent.keeping} />
        {isPractice ? <span className="chip tone-line">{t('practice.chip')}</span> : null}
        <span className="grow" />
        {tools?.(add)}
        {children}
        <span className="xs t3 nw">{keyText('send', isMac())}</span>
        <Button
          variant="filled"
          loading={send.isBusy || create.isBusy}
          disabled={text.trim() === '' || agent === undefined}
          onClick={() => void submit()}
          leftSection={<Send className="icon small" />}
        >
          {sendLabel}
        </Button>
      </div>
      <TroubleNote trouble={send.trouble ?? create.trouble ?? agents.trouble} />
    </section>
  );
}
