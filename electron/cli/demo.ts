/**
 * Demonstrates one crash in a terminal with the real engine: a demo task starts in a separate
 * process, the process is killed midway, and the outcome is counted from the journal and the files.
 * Nothing is staged: the last line is computed.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import type { VerbOutput } from '../../shared/contract';
import type { StepView } from '../../shared/types';
import { HoldfastError } from '../engine/kernel/errors';
import { exited, startEngine, type Engine } from './demo-engine';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import type { CliIo } from './io';
import type { Reach } from './reach';
import { reach } from './reach';
import { inertLine, painter, safeJson } from './render';
import type { Program } from './command';
import { does } from './command';

type RecoveryMode = 'safe_only' | 'always' | 'never';

const TURN_MS = 40_000;
const TASK = 'Write notes from the source file.';
const SECOND = 'echo Nothing accepted is forgotten.';

type Shown = VerbOutput<'turns.show'>;

interface Story {
  say(text: string): void;
  heading(text: string): void;
}

const isEffect = (step: StepView): boolean =>
  step.purity === 'side_effect' || step.purity === 'external';

function stepWords(step: StepView): string {
  const what =
    step.purity === 'llm' ? 'answer of the agent' : inertLine(`${step.tool}  ${step.hint}`);
  const results: Readonly<Record<StepView['fate'], string>> = {
    fresh: 'done',
    reused: 'reused, not run again',
    asked_again: 're-read',
    run_again: 'run again',
    cut_off: 'interrupted',
    asks: 'needs a decision',
    recorded_as_done: 'marked as done',
    skipped_by_you: 'skipped',
  };
  const word = step.state === 'failed' && step.fate !== 'cut_off' ? 'failed' : results[step.fate];
  return `step ${String(step.index)}  ${what}: ${word}`;
}

/** Follows a turn until `isDone` and prints each step as it ends. */
async function watchTurn(
  engine: Reach,
  turnId: number,
  told: Set<string>,
  story: Story,
  isDone: (shown: Shown) => boolean,
): Promise<Shown> {
  const endMs = performance.now() + TURN_MS;
  for (;;) {
    const shown = await engine.call('turns.show', { turnId, withTexts: true });
    for (const step of shown.steps) {
      const key = `${String(step.index)} ${step.state} ${step.fate}`;
      if (step.state === 'started' || told.has(key)) continue;
      told.add(key);
      story.say(stepWords(step));
    }
    if (isDone(shown)) return shown;
    if (performance.now() > endMs) {
      throw new HoldfastError(
        'INTERNAL',
        `Turn ${String(turnId)} is ${shown.turn.state} after ${String(TURN_MS / 1000)} s.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** The moment to kill the process: the file is written, and the next answer is on its way. */
function isMiddle(shown: Shown): boolean {
  const written = shown.steps.findLast((step) => isEffect(step) && step.state === 'completed');
  return (
    written !== undefined &&
    shown.steps.some(
      (step) => step.index > written.index && step.purity === 'llm' && step.state === 'started',
    )
  );
}

const isOver = (shown: Shown): boolean =>
  ['completed', 'failed', 'cancelled', 'discarded'].includes(shown.turn.state);

const firstSentence = (shown: Shown): string =>
  inertLine(shown.answer ?? shown.turn.reason).split(/(?<=[^0-9.]\.) /)[0] ?? '';

const fileFacts = (path: string): string => {
  const facts = statSync(path);
  return `${String(facts.ino)} ${String(facts.mtimeMs)} ${String(facts.size)}`;
};

/** Runs the story and cleans up, however it ends. */
async function runDemo(
  io: CliIo,
  options: { readonly mode: RecoveryMode; readonly isJson: boolean },
): Promise<ExitCode> {
  const beganMs = performance.now();
  const paint = painter(io.stdout.isTTY, io.env);
  const out = (text: string): void => {
    if (!options.isJson) io.stdout.write(`${text}\n`);
  };
  const story: Story = {
    say: (text) =>
      out(`  ${((performance.now() - beganMs) / 1000).toFixed(1).padStart(5)} s  ${text}`),
    heading: (text) => out(paint('strong', text)),
  };
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  const children: ChildProcess[] = [];
  const launch = async (): Promise<Engine> => {
    const engine = await startEngine(io, dataDir);
    children.push(engine.child);
    return engine;
  };
  const off = io.onSignal(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
    io.exitNow(EXIT.failed);
  });
  try {
    const count = await tell({ io, dataDir, launch, story, told: new Set() }, options.mode);
    const line = `${String(count.lost)} lost, ${String(count.repeated)} repeated`;
    if (options.isJson) {
      io.stdout.write(
        `${safeJson({ ...count, tookMs: Math.round(performance.now() - beganMs) }, 2)}\n`,
      );
    } else out(line);
    return count.lost === 0 && count.repeated === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    off();
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 6_000);
      await exited(child);
      clearTimeout(late);
    }
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** State passed between the parts of the demo. */
interface Scene {
  readonly io: CliIo;
  readonly dataDir: string;
  readonly launch: () => Promise<Engine>;
  readonly story: Story;
  /** Steps that were already printed. */
  readonly told: Set<string>;
}

/** The accepted turns, the first of them interrupted, and the file that it wrote. */
interface CutOff {
  readonly accepted: readonly number[];
  readonly taskId: number;
  readonly written: string;
  readonly before: string;
}

async function tell(
  scene: Scene,
  mode: RecoveryMode,
): Promise<{ lost: number; repeated: number; accepted: number; reused: number }> {
  const { io, launch, story } = scene;
  await io.composer(); // loaded now: between kill and restart the story should not wait for it
  story.heading('1. An agent works');
  const first = await launch();
  const work = await letWork(scene, first, mode);

  story.heading('2. The process is killed (SIGKILL) in the middle of an answer');
  await kill(scene, first, work.taskId);

  story.heading('3. Holdfast starts again');
  const again = await launch();
  if (mode === 'never') await answerForYou(scene, again, work.taskId);
  const ended = await letEnd(scene, again, work);

  story.heading('4. Counted from the journal and the files');
  const count = countOut(story, work, ended);
  await again.reach.close();
  return count;
}

async function letWork(
  { story, told }: Scene,
  { child, reach: engine }: Engine,
  mode: RecoveryMode,
): Promise<CutOff> {
  const agent = (await engine.call('agents.list', {})).agents.find(
    (one) => one.executor === 'practice',
  );
  if (!agent) throw new HoldfastError('AGENT_UNKNOWN', 'There is no demo agent.');
  await engine.call('config.set', { key: 'resilience.recovery.mode', value: mode });
  story.say(
    `Holdfast runs as process ${String(child.pid)}. The demo agent is a script, not an AI: no key, no cost.`,
  );
  const task = await engine.call('send', { text: TASK, agent: agent.name });
  story.say(`accepted and on disk: turn ${String(task.turnId)} "${TASK}"`);
  const middle = await watchTurn(
    engine,
    task.turnId,
    told,
    story,
    (shown) => isMiddle(shown) || isOver(shown),
  );
  if (isOver(middle))
    throw new HoldfastError(
      'INTERNAL',
      'The task ended before it could be interrupted. Run the demo again.',
    );
  const written = join(agent.workspace, 'notes.md');
  const before = fileFacts(written);
  const second = await engine.call('send', {
    text: SECOND,
    agent: agent.name,
    session: task.sessionKey,
  });
  story.say(`accepted and on disk: turn ${String(second.turnId)} "${SECOND}"`);
  return { accepted: [task.turnId, second.turnId], taskId: task.turnId, written, before };
}

/** Kills the engine and reads from the disk what is left of the turn. */
async function kill(
  { io, dataDir, story }: Scene,
  { child }: Engine,
  turnId: number,
): Promise<void> {
  child.kill('SIGKILL');
  await exited(child);
  story.say(`process ${String(child.pid)} is dead; it could save nothing at the end`);
  const disk = await reach('read', dataDir, {
    ...io,
    stderr: { ...io.stderr, write: () => undefined },
  });
  const cut = await disk.call('turns.show', { turnId });
  const finished = cut.steps.filter((step) => step.state === 'completed').length;
  story.say(
    `on disk: turn ${String(turnId)} is ${isOver(cut) ? cut.turn.state : 'open'}, ${String(finished)} of ${String(cut.steps.length)} steps finished; notes.md is written`,
  );
  await disk.close();
}

/** Resumes the held turn. In `hold` mode the user decides; in the demo, the demo does. */
async function answerForYou(
  { story, told }: Scene,
  { reach: engine }: Engine,
  turnId: number,
): Promise<void> {
  const held = await watchTurn(
    engine,
    turnId,
    told,
    story,
    (shown) => shown.decision !== undefined,
  );
  const decision = held.decision;
  if (!decision) throw new HoldfastError('INTERNAL', 'The turn is not held.');
  story.say(`held for you: ${inertLine(decision.question)}`);
  story.say(`you answer: holdfast turns resume ${String(turnId)}`);
  await engine.call('recovery.resume', { turnId, requestHash: decision.requestHash });
}

async function letEnd(
  { story, told }: Scene,
  { reach: engine }: Engine,
  { accepted, taskId }: CutOff,
): Promise<readonly Shown[]> {
  const ended: Shown[] = [];
  for (const turnId of accepted) {
    const known = turnId === taskId ? told : new Set<string>();
    const shown = await watchTurn(engine, turnId, known, story, isOver);
    ended.push(shown);
    story.say(`turn ${String(turnId)} is ${shown.turn.state}: ${firstSentence(shown)}`);
  }
  return ended;
}

function countOut(
  story: Story,
  { accepted, written, before }: CutOff,
  ended: readonly Shown[],
): ReturnType<typeof countDemo> {
  const isFileUntouched = fileFacts(written) === before;
  const count = countDemo({ accepted, ended, isFileUntouched });
  story.say(
    `${String(count.accepted)} turns accepted, ${String(count.accepted - count.lost)} answered`,
  );
  story.say(`${String(count.reused)} finished steps reused instead of run again`);
  const file = isFileUntouched
    ? 'the file is the same, with the same time of change, as before the kill'
    : 'the file has changed since the kill';
  story.say(
    `notes.md: written ${String(count.writes)} time${count.writes === 1 ? '' : 's'}; ${file}`,
  );
  return count;
}

// The facts behind the demo's final claim.

interface DemoFacts {
  /** Turns that `send` accepted. */
  readonly accepted: readonly number[];
  /** Their final state in the journal. */
  readonly ended: readonly VerbOutput<'turns.show'>[];
  /** The written file is the same, byte time and inode, as before the kill. */
  readonly isFileUntouched: boolean;
}

interface DemoCount {
  readonly accepted: number;
  /** Accepted turns without an answer. */
  readonly lost: number;
  /** Effects that ran more than once. */
  readonly repeated: number;
  readonly reused: number;
  /** Runs of effects that the journal knows. */
  readonly writes: number;
}

/** Counts strictly: a missing turn is lost. */
export function countDemo(facts: DemoFacts): DemoCount {
  const answered = facts.accepted.filter((turnId) =>
    facts.ended.some(
      (shown) =>
        shown.turn.id === turnId && shown.turn.state === 'completed' && (shown.answer ?? '') !== '',
    ),
  );
  const runs = new Map<string, number>();
  for (const shown of facts.ended) {
    for (const step of shown.steps) {
      if (step.purity !== 'side_effect' && step.purity !== 'external') continue;
      const effect = `${String(shown.turn.id)} ${step.tool} ${step.args ?? ''}`;
      runs.set(effect, (runs.get(effect) ?? 0) + 1);
    }
  }
  const counts = [...runs.values()];
  const repeatedRuns = counts.reduce((sum, times) => sum + times - 1, 0);
  return {
    accepted: facts.accepted.length,
    lost: facts.accepted.length - answered.length,
    repeated: Math.max(repeatedRuns, facts.isFileUntouched ? 0 : 1),
    reused: facts.ended.reduce((sum, shown) => sum + shown.turn.reused, 0),
    writes: counts.reduce((sum, times) => sum + times, 0),
  };
}

// `holdfast demo`: one crash, shown with the real engine.

export function addDemo(root: Command, program: Program): void {
  does(
    program,
    root
      .command('demo')
      .description('Kill the engine mid-task and see that nothing gets lost (needs no key)')
      .addArgument(
        new Argument('[story]', 'Demo to run: one crash, or an unattended night in a minute')
          .choices(['crash', 'night'])
          .default('crash'),
      )
      .addOption(
        new Option('--mode <mode>', 'Recovery mode after the crash')
          .choices(['safe_only', 'always', 'never'])
          .default('safe_only'),
      )
      .option('--short', 'With night: fewer kills, shorter waits'),
    async (run, story) => {
      const { io, isJson, options } = run;
      if (story === 'night') {
        const { runNight } = await import('./demo-night');
        return runNight(io, { isShort: options['short'] === true, isJson });
      }
      return runDemo(io, { mode: options['mode'] as RecoveryMode, isJson });
    },
  );
}
