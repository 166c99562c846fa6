/** The form of a new or edited task. Its next runs are shown while the user types. S1-03, S1-09. */
import { Autocomplete, Button, Radio, Select, TextInput, Textarea } from '@mantine/core';
import { Check, ChevronRight, Clock, Play, TriangleAlert } from 'lucide-react';
import { memo, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { TaskView } from '../../shared/schedule/model';
import { agentChoices } from '../ask-box';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { useFirstField } from '../keys/use-first-field';
import { oneLine } from '../parts/inert-view';
import { CommandLine, Inert, SectionHead, TroubleNote } from '../parts/texts';
import { localClocks } from '../parts/time-view';
import { goTo, hrefOf } from '../route';
import { isWindowOff } from './schedule-view';
import {
  addCommand,
  canBeShared,
  formSentence,
  isComplete,
  previewRows,
  timeIn,
  wishOf,
} from './task-form-view';
import {
  CheckField,
  MoreField,
  SameTime,
  SharedField,
  TrialNote,
  useTrial,
} from './task-form-more';
import type { Wish } from './task-form-view';
import { useSettled } from '../parts/use-settled';
import { KeptMark } from '../unsent/kept-mark';
import { useUnsentForm, type UnsentForm } from '../unsent/use-unsent';
import { takeRecipe } from './recipes';
import { useCatchupWindow } from './use-catchup-window';
import '../turn/turn.css';
import './schedule.css';
import './task-form.css';

const EXAMPLES = ['every 30m', 'daily at 13:00', 'weekly', '0 7 * * 2'] as const;
const CATCHUPS = ['default', 'always', 'never'] as const;
const PREVIEW = 5;
/** Longer names, schedules, and prompts are rejected. */
const MOST = { name: 120, schedule: 200, prompt: 20_000, channel: 64, peer: 200 } as const;

type Parsed = VerbOutput<'schedule.parse'>;

export function TaskFormPage({ taskId }: { taskId?: number }): ReactElement {
  const task = useVerb('tasks.show', taskId === undefined ? undefined : { taskId });
  const fallback = useVerb('schedule.parse', { expr: 'every 1h', count: 1 });
  const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (taskId !== undefined && task.data === undefined) {
    return (
      <div className="page">
        <header className="page-top">
          <h1>{t('taskForm.edit')}</h1>
        </header>
        <TroubleNote trouble={task.trouble} />
      </div>
    );
  }
  const known = fallback.data;
  // The time zone of a task without one: that of the settings, or else the computer's. Every parsed
  // schedule reports it.
  if (known === undefined && fallback.trouble === undefined) return <div className="page" />;
  const zone = known?.ok === true ? known.tz : ownZone;
  return <KeptTaskForm task={task.data} zone={zone} />;
}

/** The form with unsaved input from an earlier visit. */
function KeptTaskForm({ task, zone }: { task: TaskView | undefined; zone: string }): ReactElement {
  const first = useMemo(() => wishOf(task, zone), [task, zone]);
  const form = useUnsentForm<Wish>(`task/${task === undefined ? 'new' : String(task.id)}`, first);
  const isUntouched = form.isRead && form.value === first;
  const { change } = form;
  const { isRead } = form;
  useEffect(() => {
    if (!isRead) return;
    const recipe = takeRecipe();
    // Unsaved input of the user is never replaced.
    if (recipe !== undefined && isUntouched) change(recipe);
  }, [isRead, isUntouched, change]);
  return isRead ? <TaskForm task={task} form={form} /> : <div className="page" />;
}

function TaskForm({
  task,
  form,
}: {
  task: TaskView | undefined;
  form: UnsentForm<Wish>;
}): ReactElement {
  const nowMs = useNow('minute');
  const { value: wish } = form;
  const latest = useRef(form);
  useEffect(() => {
    latest.current = form;
  });
  // Stable for the life of the form, so that expensive fields render only for their own changes.
  const change = useCallback((given: Partial<Wish>): void => latest.current.change(given), []);
  const agents = useVerb('agents.list', {});
  const choices = agentChoices(agents.data?.agents ?? []);
  const agent = wish.agent ?? choices.find((choice) => !choice.disabled)?.value;
  const expr = useSettled(wish.schedule.trim(), 150);
  const asked = useVerb(
    'schedule.parse',
    expr === '' ? undefined : { expr, tz: wish.zone, count: PREVIEW },
  );
  // An unchanged schedule keeps its start: "in 30m" does not start over.
  const isSame = task?.schedule === wish.schedule.trim() && task.zone === wish.zone;
  const stored = useVerb(
    'tasks.next',
    task === undefined || !isSame ? undefined : { taskId: task.id, count: PREVIEW },
  );
  const typed = useLastFor(asked.data, expr);
  const parsed = storedPlan(task, stored.data) ?? typed;
  const meant = parsed?.ok === true ? parsed : undefined;
  const isCurrent = expr === wish.schedule.trim();
  const canShare = canBeShared(meant?.kind);
  const whole: Wish = { ...wish, agent, isShared: wish.isShared && canShare };
  const save = useSave(task, form);
  const trial = useTrial();
  const known = agents.data?.agents.find(({ name }) => name === (task?.agent ?? agent));
  const isReady = isComplete(whole, meant !== undefined && isCurrent);
  const place = useFirstField<HTMLFormElement>();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) save.run(whole);
  };
  return (
    <form className="page task-form" onSubmit={onSubmit} ref={place}>
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'schedule' })}>{t('schedule.title')}</a>
        <ChevronRight className="icon small" />
        <span>{t(task === undefined ? 'taskForm.new' : 'taskForm.edit')}</span>
      </nav>
      <header className="page-top">
        <div className="grow">
          <h1>{t(task === undefined ? 'taskForm.new' : 'taskForm.edit')}</h1>
          <p className="sub">{formSentence(meant, wish.zone, { nowMs })}</p>
        </div>
        <Button
          component="a"
          variant="subtle"
          href={hrefOf({ kind: 'schedule', ...(task === undefined ? {} : { taskId: task.id }) })}
          onClick={form.drop}
        >
          {t('common.cancel')}
        </Button>
        {task === undefined ? (
          <Button
            disabled={wish.prompt.trim() === '' || agent === undefined}
            loading={trial.isBusy}
            leftSection={<Play className="icon small filled" />}
            onClick={() => trial.run(whole)}
          >
            {t('taskForm.once')}
          </Button>
        ) : null}
        <Button type="submit" variant="filled" disabled={!isReady} loading={save.isBusy}>
          {t(task === undefined ? 'taskForm.create' : 'taskForm.save')}
        </Button>
      </header>
      <TroubleNote trouble={save.trouble ?? trial.trouble ?? agents.trouble ?? asked.trouble} />
      <TrialNote turnId={trial.turnId} />
      <div className="schedule-columns">
        <section className="card" aria-label={t('task.column.task')}>
          <div className="task-field two">
            <TextInput
              label={t('taskForm.name')}
              description={t('taskForm.nameAbout')}
              value={wish.name}
              maxLength={MOST.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <Select
              label={t('taskForm.agent')}
              {...(task === undefined ? {} : { description: t('taskForm.agentFixed') })}
              data={task === undefined ? choices : [task.agent]}
              value={agent ?? null}
              disabled={task !== undefined}
              allowDeselect={false}
              nothingFoundMessage={t('ask.noAgents')}
              onChange={(value) => change({ agent: value ?? undefined })}
            />
          </div>
          <div className="task-field">
            <Textarea
              label={t('taskForm.prompt')}
              autosize
              minRows={2}
              maxRows={8}
              required
              withAsterisk={false}
              value={wish.prompt}
              maxLength={MOST.prompt}
              onChange={(event) => change({ prompt: event.currentTarget.value })}
            />
            <KeptMark keeping={form.keeping} />
          </div>
          <WhenField
            value={wish.schedule}
            parsed={wish.schedule.trim() === '' ? undefined : parsed}
            onChange={(schedule) => change({ schedule })}
          />
          <CheckField value={wish.check} onChange={(check) => change({ check })} />
          <div className="task-field two">
            <ZoneField zone={wish.zone} nowMs={nowMs} onChange={change} />
            <AnswersField wish={wish} onChange={change} />
          </div>
          <MissedField catchup={wish.catchup} onChange={(catchup) => change({ catchup })} />
          <SharedField
            isShared={whole.isShared}
            canShare={canShare}
            wasShared={task?.shared === true}
            onChange={(isShared) => change({ isShared })}
          />
          <MoreField agent={known} />
        </section>
        <aside className="stack">
          <Preview parsed={meant} zone={wish.zone} />
          <section>
            <SectionHead title={t('taskForm.know')} />
            <div className="card padded sm t2 task-know">
              <SameTime first={meant?.next[0]} taskId={task?.id} />
              <p>{t('taskForm.know.past')}</p>
              <p>{t('taskForm.know.once')}</p>
            </div>
          </section>
          {task === undefined && isReady ? (
            <section className="card quiet padded sm task-know">
              <p className="t3">{t('taskForm.terminal')}</p>
              <CommandLine command={addCommand(whole)} />
            </section>
          ) : null}
        </aside>
      </div>
    </form>
  );
}

/** The previous result while the next one loads; nothing once the field is empty. */
function useLastFor(data: Parsed | undefined, expr: string): Parsed | undefined {
  const [last, setLast] = useState(data);
  if (data !== undefined && data !== last) setLast(data);
  return expr === '' ? undefined : (data ?? last);
}

/** Saved runs of a task whose schedule was not edited. */
function storedPlan(
  task: TaskView | undefined,
  known: VerbOutput<'tasks.next'> | undefined,
): Extract<Parsed, { ok: true }> | undefined {
  if (task === undefined || known === undefined || known.next.length === 0) return undefined;
  const next = known.next.map((atMs) => new Date(atMs).toISOString());
  return { ok: true, kind: task.kind, tz: known.zone, words: task.words, next };
}

interface Save {
  readonly run: (wish: Wish) => void;
  readonly isBusy: boolean;
  readonly trouble: ReturnType<typeof useCommand<'tasks.add'>>['trouble'];
}

function useSave(task: TaskView | undefined, form: UnsentForm<Wish>): Save {
  const add = useCommand('tasks.add');
  const update = useCommand('tasks.update');
  const save = async (wish: Wish): Promise<void> => {
    const { name, prompt, zone, catchup, agent } = wish;
    const schedule = wish.schedule.trim();
    const isSame = task?.schedule === schedule && task.zone === zone;
    const origin =
      wish.channel.trim() === '' ? {} : { channel: wish.channel.trim(), peer: wish.peer.trim() };
    const facts = {
      prompt,
      catchup,
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(wish.isShared === (task?.shared === true) ? {} : { shared: wish.isShared }),
      ...(wish.check.trim() === (task?.check ?? '') ? {} : { check: wish.check.trim() }),
      ...origin,
    };
    const kept = await form.sending();
    const unsent = kept === undefined ? {} : { unsent: kept };
    const answer = await (task === undefined
      ? add.run({ ...facts, ...unsent, schedule, zone, ...(agent === undefined ? {} : { agent }) })
      : update.run({
          taskId: task.id,
          ...facts,
          ...unsent,
          ...(isSame ? {} : { schedule, zone }),
        }));
    if (!answer.ok) return form.refused();
    form.sent();
    goTo({ kind: 'schedule', taskId: answer.value.id });
  };
  const run = (wish: Wish): void => void save(wish);
  return { run, isBusy: add.isBusy || update.isBusy, trouble: add.trouble ?? update.trouble };
}

/** The schedule as typed, and below it how it was parsed, or what is wrong and how to fix it. */
function WhenField({
  value,
  parsed,
  onChange,
}: {
  value: string;
  parsed: Parsed | undefined;
  onChange: (schedule: string) => void;
}): ReactElement {
  const saidId = useId();
  return (
    <div className="task-field">
      <TextInput
        label={t('taskForm.when')}
        description={t('taskForm.whenAbout')}
        classNames={{ input: 'task-when' }}
        value={value}
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
        maxLength={MOST.schedule}
        aria-invalid={parsed?.ok === false}
        aria-describedby={saidId}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div id={saidId} role="status" className="task-said sm">
        {parsed === undefined ? null : parsed.ok ? (
          <>
            <Check className="icon small ink-ok" />
            <span>
              <strong className="m5 ink-ok">{t('taskForm.understood')}</strong>{' '}
              {localClocks(parsed.words)}
            </span>
          </>
        ) : (
          <>
            <TriangleAlert className="icon small ink-attention" />
            <span className="wrap">
              <strong className="m5 ink-attention">{t('taskForm.notUnderstood')}</strong>{' '}
              <Inert text={oneLine(parsed.error, 600)} />
            </span>
          </>
        )}
      </div>
      <div className="aligned flex-wrap task-examples sm t3">
        {t('taskForm.examples')}
        {EXAMPLES.map((example) => (
          <button
            key={example}
            type="button"
            className="task-example"
            onClick={() => onChange(example)}
          >
            {example}
          </button>
        ))}
      </div>
    </div>
  );
}

/** All that this computer knows, and the task's own. */
const zonesWith = (zone: string): string[] => {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set(['UTC', zone, ...known])].toSorted();
};

/** Memoized: it has hundreds of options. */
const ZoneField = memo(function DrawnZoneField({
  zone,
  nowMs,
  onChange,
}: {
  zone: string;
  nowMs: number;
  onChange: (given: Partial<Wish>) => void;
}): ReactElement {
  const zones = useMemo(() => zonesWith(zone), [zone]);
  return (
    <Select
      label={t('taskForm.zone')}
      description={t('taskForm.zoneNow', {
        time: timeIn(Math.floor(nowMs / 60_000) * 60_000, zone),
      })}
      data={zones}
      value={zone}
      searchable
      limit={50}
      allowDeselect={false}
      onChange={(value) => {
        if (value !== null) onChange({ zone: value });
      }}
    />
  );
});

/** Recipient of the answer: both fields or neither. */
function AnswersField({
  wish,
  onChange,
}: {
  wish: Wish;
  onChange: (given: Partial<Wish>) => void;
}): ReactElement {
  const channels = useVerb('channels.list', {});
  const known = channels.data?.channels ?? [];
  const names = [...new Set(['window', 'cli', ...known.map(({ name }) => name)])];
  const usual = known.find(({ isDefault }) => isDefault)?.name ?? 'window';
  return (
    <fieldset className="task-answers">
      <legend className="sr-only">{t('taskForm.answers')}</legend>
      <Autocomplete
        label={t('taskForm.channel')}
        placeholder={usual === 'window' ? t('task.channel.window') : usual}
        data={names}
        value={wish.channel}
        maxLength={MOST.channel}
        onChange={(channel) => onChange({ channel })}
      />
      <TextInput
        label={t('taskForm.peer')}
        placeholder={wish.channel.trim() === '' ? t('taskForm.peerAbout') : ''}
        value={wish.peer}
        disabled={wish.channel.trim() === ''}
        maxLength={MOST.peer}
        onChange={(event) => onChange({ peer: event.currentTarget.value })}
      />
    </fieldset>
  );
}

function MissedField({
  catchup,
  onChange,
}: {
  catchup: Wish['catchup'];
  onChange: (catchup: Wish['catchup']) => void;
}): ReactElement {
  const windowText = useCatchupWindow();
  const isOff = isWindowOff(windowText);
  const words = {
    default: isOff
      ? [t('taskForm.missed.defaultOff'), t('taskForm.missed.defaultOffAbout')]
      : [
          t('taskForm.missed.default', { text: windowText ?? '' }),
          t('taskForm.missed.defaultAbout'),
        ],
    always: [t('taskForm.missed.always'), t('taskForm.missed.alwaysAbout')],
    never: [t('taskForm.missed.never'), t('taskForm.missed.neverAbout')],
  } as const;
  return (
    <div className="task-field">
      <Radio.Group
        label={t('taskForm.missed')}
        description={t('taskForm.missedAbout')}
        value={catchup}
        onChange={(value) => onChange(CATCHUPS.find((one) => one === value) ?? 'default')}
      >
        <div className="stack task-missed">
          {CATCHUPS.map((one) => (
            <Radio
              key={one}
              size="xs"
              value={one}
              label={words[one][0]}
              description={
                one === 'default' ? (
                  <>
                    {words[one][1]} <span className="source-tag">{t('taskForm.isDefault')}</span>
                  </>
                ) : (
                  words[one][1]
                )
              }
            />
          ))}
        </div>
      </Radio.Group>
    </div>
  );
}

/** The next runs as the engine computes them. */
function Preview({
  parsed,
  zone,
}: {
  parsed: Extract<Parsed, { ok: true }> | undefined;
  zone: string;
}): ReactElement {
  const rows =
    parsed === undefined
      ? []
      : previewRows(parsed.next, zone, { isByClock: parsed.kind !== 'interval' });
  return (
    <section aria-label={t('taskForm.next', { count: PREVIEW })}>
      <SectionHead title={t('taskForm.next', { count: parsed?.next.length ?? PREVIEW })}>
        <span className="end sm t3">{t('taskForm.asYouType')}</span>
      </SectionHead>
      {rows.length === 0 ? (
        <p className="card padded sm t3">{t('taskForm.noNext')}</p>
      ) : (
        <ol className="card rows task-next">
          {rows.map((row) =>
            row.kind === 'run' ? (
              <li key={row.atMs}>
                <span className="t3 sm">{row.number}</span>
                <span>
                  <strong className="m5">{row.day}</strong> <span className="t3 sm">{row.utc}</span>
                </span>
                <strong className="m5">{row.time}</strong>
              </li>
            ) : (
              <li key={`clocks ${String(row.atMs)}`} className="task-clocks sm">
                <Clock className="icon small" />
                <span>{row.text}</span>
              </li>
            ),
          )}
        </ol>
      )}
    </section>
  );
}
