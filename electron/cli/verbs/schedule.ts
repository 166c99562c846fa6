/** `holdfast tasks ...`, `timers ...`, `heartbeats ...` */
import { type Command, Option } from 'commander';
import type { VerbInput, VerbOutput } from '../../../shared/contract';
import { CATCHUP_RULES } from '../../../shared/schedule/states';
import type { TaskForecast, TaskRun, TaskView } from '../../../shared/schedule/model';
import type { Program, Reply, Run } from '../command';
import { asks, calls, does, optional, shows, where, wholeNumber, withOldNames } from '../command';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Reach } from '../reach';
import { hasNoData, withReach } from '../reach';
import { countText, facts, ifKnown, inert, inertLine, joinParts, spanText } from '../render';
import { addPreview, runTimes, usageError } from './dry-runs';

const untilText = (atMs: number | undefined, run: Run): string =>
  atMs === undefined
    ? '-'
    : atMs <= run.nowMs && run.options['utc'] !== true
      ? 'due'
      : run.when(atMs);

const taskText = (task: TaskView, run: Run): string =>
  facts([
    ['task', `${String(task.id)}  ${inertLine(task.name)}`],
    ['state', task.state],
    ['schedule', `${inertLine(task.schedule)}  (${inertLine(task.words)})`],
    ['time zone', task.zone],
    ['next run', untilText(task.nextRunAtMs, run)],
    ['when missed', task.catchup],
    ['check', ifKnown(task.check, inertLine)],
    ['runs on', task.shared === true ? 'one of the computers that have it' : undefined],
    ['agent', inertLine(run.agentName(task.agent))],
    ['deliver to', `${inertLine(task.channel)} ${inertLine(task.peer)}`.trim()],
    [
      'created by',
      task.author === undefined ? task.madeBy : `${task.madeBy} (${inertLine(task.author)})`,
    ],
    ['runs', String(task.runs)],
    ['last run', task.lastRun === undefined ? '-' : runText(task.lastRun, run)],
    ['forecast', ifKnown(task.forecast, forecastText)],
    ['prompt', inert(task.prompt)],
  ]);

/** "about $3.10 a month"; at least, if a run has no price; in tokens, if none has. BU-05 */
const monthText = ({ usdPerMonth, tokensPerMonth, isAtLeast }: TaskForecast): string =>
  usdPerMonth === undefined
    ? `about ${countText(tokensPerMonth, 'token')} a month`
    : `${isAtLeast ? 'at least' : 'about'} $${usdPerMonth.toFixed(2)} a month`;
const forecastText = (forecast: TaskForecast): string =>
  `${monthText(forecast)}, from the last ${countText(forecast.fromRuns, 'run')}`;

const runText = (one: TaskRun, run: Run): string =>
  joinParts(
    [
      run.when(one.atMs),
      one.status ?? one.outcome,
      ifKnown(one.turnId, (id) => `turn ${String(id)}`),
      one.words,
      inertLine(one.error ?? one.result ?? ''),
    ],
    '  ',
  );

const taskNumber = (text: string): number => {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < 1)
    throw usageError(`"${text.slice(0, 40)}" is not a task ID.`);
  return value;
};

const taskOf = (_run: Run, id = ''): { readonly taskId: number } => ({ taskId: taskNumber(id) });

function wishOf(run: Run): Omit<VerbInput<'tasks.update'>, 'taskId'> {
  const text = (name: string): string | undefined => optional<string>(run, name);
  const catchup = text('catchup');
  const known = CATCHUP_RULES.find((rule) => rule === catchup);
  if (catchup !== undefined && known === undefined)
    throw usageError('--catchup must be default, always or never.');
  return {
    ...where('schedule', text('schedule')),
    ...where('name', text('name')),
    ...where('zone', text('tz')),
    ...where('catchup', known),
    ...where('agent', text('agent')),
    ...where('channel', text('channel')),
    ...where('peer', text('peer')),
    ...where('check', text('check')),
    ...where('shared', optional<boolean>(run, 'shared')),
  };
}

const withWish = (command: Command): Command =>
  command
    .option('--name <name>', 'Task name')
    .option('--tz <zone>', 'Time zone, such as Europe/Berlin')
    .option(
      '--check <check>',
      'Check first, and run only if something changed: "command: ls ~/inbox", a URL, or "git: ~/project main"',
    )
    .option('--catchup <rule>', 'Whether to catch up a missed run: default, always or never')
    .option('--channel <channel>', 'Channel to deliver replies to; needs --peer')
    .option('--peer <peer>', 'Recipient on that channel')
    .option(
      '--shared',
      'Run each scheduled time once, on one of the computers that have a shared task of this name',
    )
    .option('--no-shared', 'Run it only on this computer');

export function addTasks(root: Command, program: Program): void {
  const tasks = root.command('tasks').description('Schedule, list, change and cancel tasks');
  addLooks(tasks, program);
  asks(
    program,
    withWish(
      tasks
        .command('add')
        .description('Schedule a task')
        .argument('<prompt>', 'Prompt')
        .requiredOption(
          '--schedule <expr>',
          '"every 5m", "daily at 09:00", cron, ISO, "on file ~/inbox"',
        )
        .option('--agent <agent>', 'Agent name (default: the default agent)'),
    ),
    'decide',
    async (engine, run, prompt = '') => {
      if (prompt.trim() === '') throw usageError('The prompt is empty.');
      const schedule = optional<string>(run, 'schedule') ?? '';
      const value = await engine.call('tasks.add', { ...wishOf(run), prompt, schedule });
      return { value, text: taskText(value, run) };
    },
  );
  asks(
    program,
    withWish(
      tasks
        .command('edit')
        .description('Change a task. Omitted options stay')
        .argument('<task>', 'Task ID')
        .option('--schedule <expr>', '"every 5m", "daily at 09:00", cron, ISO, "on file ~/inbox"')
        .option('--prompt <prompt>', 'Prompt'),
    ),
    'decide',
    calls(
      'tasks.update',
      (run, id) => ({
        ...taskOf(run, id),
        ...wishOf(run),
        ...where('prompt', optional<string>(run, 'prompt')),
      }),
      taskText,
    ),
  );
  asks(
    program,
    tasks.command('run').description('Run a task now').argument('<task>', 'Task ID'),
    'running',
    async (engine, _run, id = '') => {
      const value = await engine.call('tasks.run', { taskId: taskNumber(id) });
      return { value, text: `Turn ${String(value.turnId)} runs task ${id}.` };
    },
  );
  addStops(tasks, program);
  addPreview(tasks, program);
  addTimers(root, program);
}

function tasksTable({ tasks }: VerbOutput<'tasks.list'>, run: Run): string {
  const head = ['TASK', 'STATE', 'NEXT RUN', 'SCHEDULE', 'AGENT', 'FORECAST', 'NAME'];
  const rows = tasks.map((task) => [
    String(task.id),
    task.state,
    untilText(task.nextRunAtMs, run),
    inertLine(task.schedule),
    inertLine(run.agentName(task.agent)),
    task.forecast === undefined ? '-' : monthText(task.forecast),
    inertLine(task.name),
  ]);
  return (
    run.table(head, rows) ||
    'No tasks yet. Try: holdfast tasks add "Tidy downloads" --schedule "daily at 13:00"'
  );
}

/** Read-only commands. */
function addLooks(tasks: Command, program: Program): void {
  asks(
    program,
    withOldNames(
      tasks
        .command('list')
        .description('List tasks with their next run')
        .option('--search <words>', 'Only tasks with all these words'),
      new Option('--include-ended', 'Include completed and canceled tasks'),
      '--all',
    ),
    'read',
    calls(
      'tasks.list',
      (run) => ({
        includeOver: run.options['includeEnded'] === true,
        ...where('search', optional<string>(run, 'search')),
        limit: 1000,
      }),
      tasksTable,
    ),
  );
  asks(
    program,
    tasks.command('show').description('Show a task').argument('<task>', 'Task ID'),
    'read',
    calls('tasks.show', taskOf, taskText),
  );
  does(
    program,
    tasks
      .command('due')
      .description('List overdue tasks')
      .option('--explain', 'Show what a start would do about each; change nothing'),
    (run) =>
      withData(run, async (engine) => {
        const value = await engine.call('tasks.due', { explain: run.options['explain'] === true });
        const rows = value.tasks.map((task) => [
          String(task.id),
          spanText(task.overdueMs),
          inertLine(task.schedule),
          inertLine(task.prompt),
          task.plan?.words ?? '',
        ]);
        return {
          value,
          text:
            run.table(['TASK', 'OVERDUE', 'SCHEDULE', 'PROMPT', 'DECISION'], rows) ||
            'No overdue tasks.',
        };
      }),
  );
  asks(
    program,
    tasks
      .command('next')
      .description('Show the next runs of a task')
      .argument('<task>', 'Task ID')
      .option('--count <n>', 'Number of runs (default 5)', wholeNumber),
    'read',
    calls(
      'tasks.next',
      (run, id) => ({ ...taskOf(run, id), ...where('count', optional<number>(run, 'count')) }),
      ({ next, zone }, run) => runTimes(next, zone, run) || 'No more runs.',
    ),
  );
  asks(
    program,
    tasks
      .command('history')
      .description('List scheduled runs with their result, newest first')
      .argument('[task]', 'Task ID (default: all)')
      .option('--limit <n>', 'Maximum number of results (default 50)', wholeNumber),
    'read',
    async (engine, run, id = '') => {
      const value = await engine.call('tasks.history', {
        ...(id === '' ? {} : { taskId: taskNumber(id) }),
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const rows = value.runs.map((one) => [String(one.taskId), runText(one, run)]);
      return { value, text: run.table(['TASK', 'RESULT'], rows) || 'No runs yet.' };
    },
  );
}

const tasksText = (count: number): string => (count === 1 ? '1 task' : `${String(count)} tasks`);

function addStops(tasks: Command, program: Program): void {
  asks(
    program,
    tasks
      .command('cancel')
      .description('Cancel a task permanently; its history stays')
      .argument('<task>', 'Task ID'),
    'decide',
    calls('tasks.cancel', taskOf, taskText),
  );
  for (const [verb, about] of [
    ['pause', 'Pause a task, or all, until resumed'],
    ['resume', 'Resume a paused task, or all; missed runs are not caught up'],
  ] as const) {
    asks(
      program,
      tasks
        .command(verb)
        .description(about)
        .argument('[task]', 'Task ID')
        .option('--all', 'All tasks'),
      'decide',
      async (engine, run, id = '') => {
        const isAll = run.options['all'] === true;
        if (isAll === (id !== '')) throw usageError('Specify one task, or --all.');
        if (isAll) return verb === 'pause' ? pauseAll(engine) : resumeAll(engine);
        const value = await engine.call(`tasks.${verb}`, { taskId: taskNumber(id) });
        return { value, text: taskText(value, run) };
      },
    );
  }
}

async function pauseAll(engine: Reach): Promise<Reply> {
  const value = await engine.call('tasks.pauseAll', {});
  const text = `Paused ${tasksText(value.changed)} until resumed.`;
  return { value, text };
}

async function resumeAll(engine: Reach): Promise<Reply> {
  const value = await engine.call('tasks.resumeAll', {});
  const missed = value.missed === 0 ? '' : ` ${tasksText(value.missed)} had missed their time.`;
  return { value, text: `Resumed ${tasksText(value.changed)}.${missed}` };
}

function addTimers(root: Command, program: Program): void {
  const timers = root
    .command('timers')
    .description('List, run and cancel timers that agents have set');
  asks(
    program,
    timers
      .command('list')
      .description('List pending timers, next first')
      .option('--session <session>', 'Only this session'),
    'read',
    calls(
      'timers.list',
      (run) => where('session', optional<string>(run, 'session')),
      (value, run) => {
        const rows = value.timers.map((timer) => [
          inertLine(timer.id),
          inertLine(timer.session),
          untilText(timer.dueAtMs, run),
          inertLine(timer.message),
        ]);
        const table = run.table(['TIMER', 'SESSION', 'DUE', 'MESSAGE'], rows);
        return table || 'No timers. Agents set them while they work.';
      },
    ),
  );
  asks(
    program,
    timers
      .command('cancel')
      .description('Cancel a timer')
      .argument('<session>', 'Session name or ID')
      .argument('<timer>', 'Timer ID'),
    'decide',
    async (engine, _run, session = '', id = '') => ({
      value: await engine.call('timers.cancel', { session, id }),
      text: `Timer ${inertLine(id)} canceled.`,
    }),
  );
  asks(
    program,
    timers
      .command('run')
      .description('Wake the session now with a missed timer')
      .argument('<session>', 'Session name or ID')
      .argument('<timer>', 'Timer ID'),
    'running',
    async (engine, _run, session = '', id = '') => {
      const value = await engine.call('timers.run', { session, id });
      return { value, text: `Turn ${String(value.turnId)} continues with timer ${inertLine(id)}.` };
    },
  );
}

export function addHeartbeats(root: Command, program: Program): void {
  const heartbeat = root
    .command('heartbeats')
    .description('List and stop heartbeats (recurring wake-ups of a session)');
  asks(
    program,
    heartbeat
      .command('stop')
      .description('Stop the heartbeat of a session')
      .argument('<session>', 'Session name or ID'),
    'decide',
    async (engine, _run, session = '') => ({
      value: await engine.call('heartbeat.stop', { session }),
      text: `Heartbeat of session ${inertLine(session)} stopped.`,
    }),
  );
  asks(
    program,
    heartbeat.command('list').description('List heartbeats of sessions, and the default heartbeat'),
    'read',
    shows('heartbeat.status', (value, run) => {
      const rows = value.heartbeats.map((beat) => [
        beat.isSystem ? 'default' : inertLine(beat.session ?? ''),
        inertLine(beat.every),
        String(beat.ticks),
        String(beat.skipped),
        untilText(beat.nextAtMs, run),
      ]);
      const text =
        run.table(['SESSION', 'EVERY', 'WAKE-UPS', 'SKIPPED', 'NEXT'], rows) ||
        'No active heartbeat.';
      return joinParts([text, value.problem]);
    }),
  );
}

/**
 * Reads as any command; a folder without data is a failure here, not an engine that is off. S1-34.
 */
async function withData(run: Run, body: (engine: Reach) => Promise<Reply>): Promise<Reply> {
  try {
    return await withReach('read', run, body);
  } catch (thrown) {
    const isOff = thrown instanceof HoldfastError && thrown.code === 'NOT_RUNNING';
    if (!isOff || !hasNoData(run.dataDir)) throw thrown;
    throw new HoldfastError(
      'DATABASE_MISSING',
      `No Holdfast data was found in ${run.dataDir} yet.`,
    );
  }
}
