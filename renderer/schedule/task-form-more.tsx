/** The other parts of the task form: a dry run, and settings that apply to every run. */
import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { AgentView } from '../../shared/types';
import { isOutside, limitsText, requeueText } from '../agents/agent-view';
import { useCommand, useVerb } from '../bridge';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Address } from '../parts/address';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { MAX_CHECK } from '../../shared/schedule/check';
import { useStatus } from '../status';
import { checkProblem, type Wish } from './task-form-view';

interface BreakerProbe {
  readonly run: (wish: Pick<Wish, 'name' | 'prompt' | 'agent'>) => void;
  readonly isBusy: boolean;
  /** The turn started last. */
  readonly turnId: number | undefined;
  readonly trouble: Trouble | undefined;
}

/** Gives the agent the typed prompt once, in a new session; no task is created. */
export function useTrial(): BreakerProbe {
  const create = useCommand('session.create');
  const send = useCommand('send');
  const [turnId, setTurnId] = useState<number | undefined>(undefined);
  const run = async ({
    name,
    prompt,
    agent,
  }: Parameters<BreakerProbe['run']>[0]): Promise<void> => {
    if (agent === undefined) return;
    setTurnId(undefined);
    const title = oneLine(name.trim() === '' ? prompt : name, 80);
    const session = await create.run({ agent, title });
    if (!session.ok) return;
    const sent = await send.run({ text: prompt, agent, session: session.value.key });
    if (sent.ok) setTurnId(sent.value.turnId);
  };
  return {
    run: (wish) => void run(wish),
    isBusy: create.isBusy || send.isBusy,
    turnId,
    trouble: create.trouble ?? send.trouble,
  };
}

export function TrialNote({ turnId }: { turnId: number | undefined }): ReactElement | null {
  return turnId === undefined ? null : (
    <NoteLine tone="ok" role="status">
      {t('taskForm.once.done', { id: turnId })}{' '}
      <a href={hrefOf({ kind: 'turn', turnId })}>{t('task.run.open')}</a>
    </NoteLine>
  );
}

/** The check before each run of the task, and any error in it. GT-01 */
export function CheckField({
  value,
  onChange,
}: {
  value: string;
  onChange: (check: string) => void;
}): ReactElement {
  const problem = checkProblem(value);
  return (
    <div className="task-field">
      <TextInput
        label={t('taskForm.check')}
        description={t('taskForm.checkAbout')}
        classNames={{ input: 'task-when' }}
        placeholder={t('taskForm.check.example')}
        value={value}
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_CHECK}
        {...(problem === undefined ? {} : { error: <Inert text={oneLine(problem, 600)} /> })}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

/** Shown only if this computer shares work, or the task is shared from an earlier time. DW-24 */
export function SharedField({
  isShared,
  canShare,
  wasShared,
  onChange,
}: {
  isShared: boolean;
  /** False for a schedule that differs between computers. */
  canShare: boolean;
  wasShared: boolean;
  onChange: (isShared: boolean) => void;
}): ReactElement | null {
  const { status } = useStatus();
  if (status?.shared === undefined && !wasShared) return null;
  return (
    <div className="task-field">
      <Checkbox
        label={t('taskForm.shared')}
        description={t(canShare ? 'taskForm.sharedAbout' : 'taskForm.sharedNot')}
        checked={isShared}
        disabled={!canShare}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

/** Other tasks whose next run starts in the same minute as this one's first. */
export function SameTime({
  first,
  taskId,
}: {
  /** ISO instant. */
  first: string | undefined;
  taskId: number | undefined;
}): ReactElement | null {
  const tasks = useVerb('tasks.list', {});
  if (first === undefined) return null;
  const minute = (atMs: number): number => Math.floor(atMs / 60_000);
  const others = (tasks.data?.tasks ?? []).filter(
    ({ id, nextRunAtMs }) =>
      id !== taskId &&
      nextRunAtMs !== undefined &&
      minute(nextRunAtMs) === minute(Date.parse(first)),
  );
  const [one] = others;
  return one === undefined ? null : (
    <p>{t('taskForm.know.sameTime', { name: oneLine(one.name, 60), count: others.length - 1 })}</p>
  );
}

/**
 * Shown but not editable here: limits and tries apply to every turn, and the folder is the agent's.
 */
export function MoreField({ agent }: { agent: AgentView | undefined }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="task-field task-more"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <strong className="m5">{t('taskForm.more')}</strong>{' '}
        <span className="sm t3">{t('taskForm.moreAbout')}</span>
      </summary>
      {isOpen ? <MoreFacts agent={agent} /> : null}
    </details>
  );
}

function MoreFacts({ agent }: { agent: AgentView | undefined }): ReactElement {
  const config = useVerb('config.list', {});
  const entries = config.data?.entries ?? [];
  const limits = limitsText(entries, agent !== undefined && isOutside(agent));
  const tries = requeueText(entries);
  return (
    <>
      <TroubleNote trouble={config.trouble} />
      <dl className="facts sm">
        <Fact name={t('agents.limits')}>{limits}</Fact>
        <Fact name={t('taskForm.more.tries')}>{tries}</Fact>
        {agent === undefined ? null : (
          <Fact name={t('agents.folder')} className="mono wrap">
            <Address text={agent.workspace} />
          </Fact>
        )}
        <Fact name={t('taskForm.more.overlap')}>{t('taskForm.more.overlapAbout')}</Fact>
      </dl>
      <p className="sm t3 task-more-where">
        {t('taskForm.more.where')} <a href={hrefOf({ kind: 'agents' })}>{t('nav.agents')}</a>
      </p>
    </>
  );
}
