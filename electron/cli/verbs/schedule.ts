/** `holdfast tasks ...`, `timers ...`, `heartbeat status`, `schedule parse`, `guard check` */
import type { Command } from 'commander';
import type { VerbInput } from '../../../shared/contract';
import { CATCHUP_RULES } from '../../../shared/schedule/states';
import type { TaskRun, TaskView } from '../../../shared/schedule/model';
import type { Program, Reply, Run } from '../command';
import { asks, does, optional, where, wholeNumber } from '../command';
import { EXIT } from '../exit-codes';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Reach } from '../reach';
import { hasNoData, reach } from '../reach';
import { facts, inert, inertLine, spanText, whenText } from '../render';

const untilText = (atMs: number | undefined, run: Run): string =>
  atMs === undefined
    ? '-'
    : `${new Date(atMs).toISOString()} (${atMs > run.nowMs ? `in ${spanText(atMs - run.nowMs)}` : 'due'})`;

const usageError = (message: string): HoldfastError =>
  new HoldfastError('INPUT_INVALID', message, { hint: 'Nothing was done.' });

const taskText = (task: TaskView, run: Run): string =>
  facts([
    ['task', `${String(task.id)}  ${inertLine(task.name)}`],
    ['state', task.state],
    ['schedule', `${inertLine(task.schedule)}  (${inertLine(task.words)})`],
    ['time zone', task.zone],
    ['next run', untilText(task.nextRunAtMs, run)],
    ['when missed', task.catchup],
    ['agent', inertLine(task.agent)],
    ['answers to', `${inertLine(task.channel)} ${inertLine(task.peer)}`.trim()],
    [
      'made by',
      task.author === undefined ? task.madeBy : `${task.madeBy} (${inertLine(task.author)})`,
    ],
    ['runs', String(task.runs)],
    ['last', task.lastRun === undefined ? '-' : runText(task.lastRun, run)],
    ['prompt', inert(task.prompt)],
  ]);

const runText = (one: TaskRun, run: Run): string =>
  [
    whenText(one.atMs, run.nowMs),
    one.status ?? one.outcome,
    one.turnId === undefined ? '' : `turn ${String(one.turnId)}`,
    one.words,
    inertLine(one.error ?? one.result ?? ''),
  ]
    .filter((part) => part !== '')
    .join('  ');

const taskNumber = (text: string): number => {
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < 1) throw usageError(`"${text.slice(0, 40)}" is no task.`);
  return value;
};

function wishOf(run: Run): Omit<VerbInput<'tasks.update'>, 'taskId'> {
  const text = (name: string): string | undefined => optional<string>(run, name);
  const catchup = text('catchup');
  const known = CATCHUP_RULES.find((rule) => rule === catchup);
  if (catchup !== undefined && known === undefined)
    throw usageError('--catchup is default, always or never.');
  return {
    ...where('schedule', text('schedule')),
    ...where('name', text('name')),
    ...where('zone', text('tz')),
    ...where('catchup', known),
    ...where('agent', text('agent')),
    ...where('channel', text('channel')),
    ...where('peer', text('peer')),
  };
}

const withWish = (command: Command): Command =>
  command
    .option('--name <name>', 'how lists call it')
    .option('--tz <zone>', 'time zone, such as Europe/Berlin')
    .option('--catchup <rule>', 'when missed: default, always or never')
    .option('--channel <channel>', 'where the answer goes; with --peer')
    .option('--peer <peer>', 'to whom; with --channel');

export function addTasks(root: Command, program: Program): void {
  const tasks = root.command('tasks').description('Scheduled tasks');
  addLooks(tasks, program);
  asks(
    program,
    withWish(
      tasks
        .command('add')
        .description('schedule a task')
        .argument('<prompt>', 'what to do')
        .requiredOption('--schedule <expr>', '"every 5m", "in 30m", "daily at 09:00", cron, ISO')
        .option('--agent <agent>', 'who does it'),
    ),
    'decide',
    async (engine, run, prompt = '') => {
      if (prompt.trim() === '') throw usageError('The prompt is empty: say what is to be done.');
      const schedule = optional<string>(run, 'schedule') ?? '';
      const value = await engine.call('tasks.add', { ...wishOf(run), prompt, schedule });
      return { value, text: taskText(value, run) };
    },
  );
  asks(
    program,
    withWish(
      tasks
        .command('update')
        .description('change a task; what is left out stays')
        .argument('<task>', 'its number')
        .option('--schedule <expr>', 'when it runs')
        .option('--prompt <prompt>', 'what to do'),
    ),
    'decide',
    async (engine, run, id = '') => {
      const value = await engine.call('tasks.update', {
        taskId: taskNumber(id),
        ...wishOf(run),
        ...where('prompt', optional<string>(run, 'prompt')),
      });
      return { value, text: taskText(value, run) };
    },
  );
  asks(
    program,
    tasks.command('run').description('run a task now').argument('<task>', 'its number'),
    'running',
    async (engine, _run, id = '') => {
      const value = await engine.call('tasks.run', { taskId: taskNumber(id) });
      return { value, text: `Turn ${String(value.turnId)} runs task ${id}.` };
    },
  );
  addStops(tasks, program);
  addWakes(root, program);
  addTrials(root, program);
}

/** Read-only commands. */
function addLooks(tasks: Command, program: Program): void {
  asks(
    program,
    tasks
      .command('list')
      .description('tasks with their next and last run')
      .option('--all', 'also those that are done or cancelled')
      .option('--search <words>', 'that have all these words'),
    'read',
    async (engine, run) => {
      const value = await engine.call('tasks.list', {
        includeOver: run.options['all'] === true,
        ...where('search', optional<string>(run, 'search')),
        limit: 1000,
      });
      const rows = value.tasks.map((task) => [
        String(task.id),
        task.state,
        untilText(task.nextRunAtMs, run),
        inertLine(task.schedule),
        inertLine(task.agent),
        inertLine(task.name),
      ]);
      return {
        value,
        text:
          run.table(['TASK', 'STATE', 'NEXT RUN', 'SCHEDULE', 'AGENT', 'NAME'], rows) ||
          'No tasks yet. Try: holdfast tasks add "Tidy downloads" --schedule "daily at 13:00"',
      };
    },
  );
  asks(
    program,
    tasks.command('show').description('one task').argument('<task>', 'its number'),
    'read',
    async (engine, run, id = '') => {
      const value = await engine.call('tasks.show', { taskId: taskNumber(id) });
      return { value, text: taskText(value, run) };
    },
  );
  does(
    program,
    tasks
      .command('due')
      .description('overdue tasks')
      .option('--explain', 'what a start would do about each; nothing is done'),
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
      .description('the next runs of a task')
      .argument('<task>', 'its number')
      .option('--count <n>', 'so many (default 5)', wholeNumber),
    'read',
    async (engine, run, id = '') => {
      const value = await engine.call('tasks.next', {
        taskId: taskNumber(id),
        ...where('count', optional<number>(run, 'count')),
      });
      return {
        value,
        text: value.next.map((at) => new Date(at).toISOString()).join('\n') || 'No run is to come.',
      };
    },
  );
  asks(
    program,
    tasks
      .command('history')
      .description('what became of each slot and why, newest first')
      .argument('[task]', 'its number; all where absent')
      .option('--limit <n>', 'at most this many (default 50)', wholeNumber),
    'read',
    async (engine, run, id = '') => {
      const value = await engine.call('tasks.history', {
        ...(id === '' ? {} : { taskId: taskNumber(id) }),
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const rows = value.runs.map((one) => [String(one.taskId), runText(one, run)]);
      return { value, text: run.table(['TASK', 'WHAT BECAME OF IT'], rows) || 'No runs yet.' };
    },
  );
}

const tasksText = (count: number): string => (count === 1 ? '1 task' : `${String(count)} tasks`);

function addStops(tasks: Command, program: Program): void {
  asks(
    program,
    tasks
      .command('cancel')
      .description('for good; its history stays')
      .argument('<task>', 'its number'),
    'decide',
    async (engine, run, id = '') => {
      const value = await engine.call('tasks.cancel', { taskId: taskNumber(id) });
      return { value, text: taskText(value, run) };
    },
  );
  for (const [verb, about] of [
    ['pause', 'nothing of it runs until it is resumed'],
    ['resume', 'go on with a paused task, from now'],
  ] as const) {
    asks(
      program,
      tasks
        .command(verb)
        .description(about)
        .argument('[task]', 'its number')
        .option('--all', 'all tasks, in one step'),
      'decide',
      async (engine, run, id = '') => {
        const isAll = run.options['all'] === true;
        if (isAll === (id !== '')) throw usageError('Name one task, or give --all.');
        if (isAll) return verb === 'pause' ? pauseAll(engine) : resumeAll(engine);
        const value = await engine.call(`tasks.${verb}`, { taskId: taskNumber(id) });
        return { value, text: taskText(value, run) };
      },
    );
  }
}

async function pauseAll(engine: Reach): Promise<Reply> {
  const value = await engine.call('tasks.pauseAll', {});
  const text = `Paused ${tasksText(value.changed)}. Nothing of them runs until they are resumed.`;
  return { value, text };
}

async function resumeAll(engine: Reach): Promise<Reply> {
  const value = await engine.call('tasks.resumeAll', {});
  const missed = value.missed === 0 ? '' : ` The time has passed for ${tasksText(value.missed)}.`;
  return { value, text: `Resumed ${tasksText(value.changed)}, from now.${missed}` };
}

function addWakes(root: Command, program: Program): void {
  const timers = root.command('timers').description('Timers that agents have set');
  asks(
    program,
    timers
      .command('list')
      .description('those that wait, next first')
      .option('--session <session>', 'of this session'),
    'read',
    async (engine, run) => {
      const value = await engine.call('timers.list', {
        ...where('session', optional<string>(run, 'session')),
      });
      const rows = value.timers.map((timer) => [
        inertLine(timer.id),
        inertLine(timer.session),
        untilText(timer.dueAtMs, run),
        inertLine(timer.message),
      ]);
      return {
        value,
        text: run.table(['TIMER', 'SESSION', 'DUE', 'MESSAGE'], rows) || 'No timers.',
      };
    },
  );
  asks(
    program,
    timers
      .command('cancel')
      .description('cancel a timer')
      .argument('<session>', 'key or number')
      .argument('<timer>', 'its id'),
    'decide',
    async (engine, _run, session = '', id = '') => ({
      value: await engine.call('timers.cancel', { session, id }),
      text: `Timer ${inertLine(id)} is cancelled.`,
    }),
  );
  asks(
    program,
    timers
      .command('run')
      .description('wake the session now with a timer that was missed')
      .argument('<session>', 'key or number')
      .argument('<timer>', 'its id'),
    'running',
    async (engine, _run, session = '', id = '') => {
      const value = await engine.call('timers.run', { session, id });
      return { value, text: `Turn ${String(value.turnId)} goes on with timer ${inertLine(id)}.` };
    },
  );
  const heartbeat = root.command('heartbeat').description('Heartbeats');
  asks(
    program,
    heartbeat
      .command('stop')
      .description('stop the heartbeat of a session')
      .argument('<session>', 'key or number'),
    'decide',
    async (engine, _run, session = '') => ({
      value: await engine.call('heartbeat.stop', { session }),
      text: `Session ${inertLine(session)} has no heartbeat any more.`,
    }),
  );
  asks(
    program,
    heartbeat.command('status').description('heartbeats of sessions and the one of the settings'),
    'read',
    async (engine, run) => {
      const value = await engine.call('heartbeat.status', {});
      const rows = value.heartbeats.map((beat) => [
        beat.isSystem ? 'settings' : inertLine(beat.session ?? ''),
        inertLine(beat.every),
        String(beat.ticks),
        String(beat.skipped),
        untilText(beat.nextAtMs, run),
      ]);
      const text =
        run.table(['OF', 'HOW OFTEN', 'TICKS', 'SKIPPED', 'NEXT'], rows) || 'No active heartbeat.';
      return { value, text: [text, value.problem ?? ''].filter(Boolean).join('\n') };
    },
  );
}

/** The end of the year 9999: later instants are no dates that anybody means. */
const LATEST_FROM_MS = Date.UTC(10_000, 0) - 1;
/** As many as the engine lists at most. */
const MOST_RUNS = 1_000;

/**
 * Reads as any command; a folder without data is a failure here, not an engine that is off. S1-34.
 */
async function withData(run: Run, body: (engine: Reach) => Promise<Reply>): Promise<Reply> {
  try {
    const engine = await reach('read', run.dataDir, run.io);
    try {
      return await body(engine);
    } finally {
      await engine.close();
    }
  } catch (thrown) {
    const isOff = thrown instanceof HoldfastError && thrown.code === 'NOT_RUNNING';
    if (!isOff || !hasNoData(run.dataDir)) throw thrown;
    throw new HoldfastError('DATABASE_MISSING', `There is no Holdfast data in ${run.dataDir} yet.`);
  }
}

/** Neither needs data, nor anything that runs. */
function addTrials(root: Command, program: Program): void {
  does(
    program,
    root
      .command('schedule')
      .description('Try a schedule')
      .command('parse')
      .description('what it means and when it runs next')
      .argument('<expr>', '"every 5m", "daily at 09:00", cron, ISO')
      .option('--tz <zone>', 'time zone')
      .option('--from <instant>', 'ISO instant; now where absent')
      .option('--count <n>', 'so many runs (default 5)', wholeNumber),
    async (run, expr = '') => {
      const from = optional<string>(run, 'from');
      const fromMs = from === undefined ? undefined : Date.parse(from);
      if (fromMs !== undefined && !(Math.abs(fromMs) <= LATEST_FROM_MS))
        throw usageError('--from is no instant.');
      const count = optional<number>(run, 'count');
      if (count !== undefined && count > MOST_RUNS)
        throw usageError(`--count goes to ${String(MOST_RUNS)}.`);
      const composer = await run.io.composer();
      const value = await composer.trySchedule(
        {
          expr,
          ...where('tz', optional<string>(run, 'tz')),
          ...where('fromMs', fromMs),
          ...where('count', count),
        },
        run.nowMs,
      );
      return value.ok
        ? { value, text: [`${value.words} (${value.tz})`, ...value.next].join('\n') }
        : { value, text: inertLine(value.error), exitCode: EXIT.failed };
    },
  );
  does(
    program,
    root
      .command('guard')
      .description('Try the sleep-command guard')
      .command('check')
      .description('may an agent run this command, or would it only wait')
      .argument('<command>', 'the shell command'),
    async (run, command = '') => {
      const composer = await run.io.composer();
      const value = await composer.tryGuard(command, run.io.env);
      const text = value.blocked
        ? `${value.reason ?? ''} Use ${value.suggestion ?? ''} instead.`
        : value.isOn
          ? 'Allowed.'
          : 'Allowed: the guard is switched off.';
      return { value, text };
    },
  );
}
