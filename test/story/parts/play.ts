/**
 * Plays the lives of the story through the real composition on a real data directory. Only the
 * edges of the world are the story's own: clock, model, mail and chat. The last life may end with
 * SIGKILL, in the middle of its work, as any process can.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { compose } from '../../../electron/compose/compose';
import type { Composition } from '../../../electron/compose/options';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { ModelAnswer, Provider } from '../../../electron/ports/provider';
import type { ToolHost, ToolSpec } from '../../../electron/ports/tools';
import { answerFor, conversationOf, costOf, tokensOf } from './follow-plot';
import type { PlotLife, PlotTurn } from './plot';
import { createStoryClock } from './story-clock';
import type { StoryClock } from './story-clock';

export const PROVIDER_NAME = 'Office-proxy';
/** What reading and writing a small file takes. */
const FILE_MS = 240;
/** Rounds of the event loop in which nothing happened: the engine waits for the world. */
const QUIET_ROUNDS = 6;
const ROUNDS = 200_000;

const anything = { type: 'object', additionalProperties: true };
const wordOf = (args: unknown, name: string): string =>
  String((args as Record<string, unknown>)[name] ?? '');

const WORLD_TOOLS: readonly ToolSpec[] = [
  {
    name: 'send_email',
    description: 'Sends one mail over the office mail server.',
    inputSchema: anything,
    purity: 'external',
    isProposedForGate: true,
    hint: (args) => wordOf(args, 'to'),
    question: (args) => `Was the mail to ${wordOf(args, 'to')} sent?`,
  },
  {
    name: 'archive_mail',
    description: 'Moves messages to the archive of the mail account.',
    inputSchema: anything,
    purity: 'external',
    hint: (args) => wordOf(args, 'folder'),
    question: (args) => {
      const { messages } = args as { readonly messages?: readonly unknown[] };
      return `Were ${String(messages?.length ?? 0)} messages archived?`;
    },
  },
  {
    name: 'search_mail',
    description: 'Searches the mail account.',
    inputSchema: anything,
    purity: 'world',
    hint: (args) => wordOf(args, 'folder'),
  },
  {
    name: 'post_message',
    description: 'Posts a message to a channel of the team.',
    inputSchema: anything,
    purity: 'external',
    hint: (args) => wordOf(args, 'channel'),
  },
];

function createWorldTools(clock: StoryClock, turns: readonly PlotTurn[]): ToolHost {
  return {
    name: 'office',
    tools: () => WORLD_TOOLS,
    async call({ tool, args }) {
      const wanted = JSON.stringify(args);
      const call = turns
        .flatMap((turn) => turn.answers.flatMap((answer) => answer.calls ?? []))
        .find((one) => one.tool === tool && JSON.stringify(one.args) === wanted);
      await clock.spend(call?.tookMs ?? 500);
      if (call?.isUnknown === true) {
        return { kind: 'unknown', message: `The server closed the connection without an answer.` };
      }
      return { kind: 'result', content: call?.result ?? 'Done.', isError: false };
    },
  };
}

function createStoryModel(clock: StoryClock, turns: readonly PlotTurn[]): Provider {
  return {
    name: PROVIDER_NAME,
    probe: () => Promise.resolve({ kind: 'ok' }),
    async stream(request, { onText }) {
      const conversation = conversationOf(request);
      const next = answerFor(turns, conversation);
      await clock.spend(next?.answer?.tookMs ?? 1_000);
      if (next?.turn.refusal !== undefined && conversation.answered > 0) {
        return {
          kind: 'failure',
          failure: { kind: 'config', ...next.turn.refusal, isRetryable: false },
        };
      }
      const text = next?.answer?.text;
      if (text !== undefined) onText(text);
      const calls = next?.answer?.calls ?? [];
      const answer: ModelAnswer = {
        parts: [
          ...(text === undefined ? [] : [{ kind: 'text' as const, text }]),
          ...calls.map((call, index) => ({
            kind: 'tool_call' as const,
            callId: `call_${String(conversation.answered)}_${String(index)}`,
            tool: call.tool,
            args: call.args as never,
          })),
        ],
        finish: calls.length > 0 ? 'tool_calls' : 'stop',
        usage: {
          ...tokensOf(conversation.answered),
          costUsd: costOf(conversation.answered),
        },
      };
      return { kind: 'answer', answer };
    },
  };
}

export interface PlayOptions {
  readonly dataDir: string;
  readonly home: string;
  /** The instant of the unexpected stop, ms since the epoch. */
  readonly stopAtMs: number;
}

/** Plays the lives in their order. A life that is killed does not return. */
export async function playLives(
  options: PlayOptions,
  lives: readonly PlotLife[],
  beforeKill: (composition: Composition) => Promise<void>,
): Promise<void> {
  for (const life of lives) await playLife(options, life, beforeKill);
}

async function playLife(
  options: PlayOptions,
  life: PlotLife,
  beforeKill: (composition: Composition) => Promise<void>,
): Promise<void> {
  const clock = createStoryClock(options.stopAtMs + life.fromMs);
  const composition = compose({
    dataDir: options.dataDir,
    mode: 'headless',
    flags: { noRestore: false, hidden: true, takeover: false, afterCrash: false },
    version: '0.1.0',
    env: { PATH: process.env['PATH'], HOME: options.home, HOLDFAST_HOME: options.dataDir },
    clock,
    providers: [createStoryModel(clock, life.turns)],
    toolHosts: [createWorldTools(clock, life.turns)],
    crashPoints: {
      ...noCrashPoints,
      hit(point) {
        // Built-in tools work on real files and take real time; the story gives them a little.
        if (point === 'step.effect.before' && clock.onTheWay() < 8) clock.probeSoon(FILE_MS);
      },
    },
  });
  const { holdfast, lifecycle } = composition;
  await lifecycle.start();
  const deeds = deedsOf(options, life, composition);
  for (const deed of deeds) {
    await playUntil(composition, clock, deed.atMs);
    await deed.act();
  }
  await playUntil(composition, clock, options.stopAtMs + life.untilMs);
  if (life.end === 'killed') {
    await beforeKill(composition);
    process.kill(process.pid, 'SIGKILL');
    // The signal is delivered before this call returns; if ever it were not, nothing may go on.
    for (;;);
  }
  const { turns } = await holdfast.call('turns.list', { states: ['running', 'queued'] }, 'test');
  if (turns.length > 0) throw new Error(`${String(turns.length)} turns run at the end of a life.`);
  await lifecycle.stop(life.end);
}

/** What people do in this life, in order. */
function deedsOf(
  { stopAtMs }: PlayOptions,
  life: PlotLife,
  { holdfast }: Composition,
): { readonly atMs: number; readonly act: () => Promise<void> }[] {
  const deeds = life.turns.flatMap((turn) => {
    const sent = {
      atMs: stopAtMs + turn.atMs,
      act: async () => {
        const key = keyOf(turn.session);
        const { sessions } = await holdfast.call('sessions.list', { limit: 1000 }, 'test');
        if (!sessions.some((one) => one.key === key)) {
          await holdfast.call(
            'session.create',
            { key, title: turn.session, agent: turn.agent },
            'test',
          );
        }
        await holdfast.call('send', { text: turn.prompt, session: key }, 'test');
      },
    };
    if (turn.confirmedAfterMs === undefined) return [sent];
    return [
      sent,
      {
        atMs: sent.atMs + turn.confirmedAfterMs,
        act: async () => {
          const { decisions } = await holdfast.call('recovery.list', {}, 'test');
          const decision = decisions.find((one) => one.sessionKey === keyOf(turn.session));
          const [step] = decision?.ambiguous ?? [];
          if (decision === undefined || step === undefined) {
            throw new Error(`Nothing to answer in ${turn.session}.`);
          }
          await holdfast.call(
            'recovery.confirmStep',
            { turnId: decision.turnId, step: step.index, requestHash: decision.requestHash },
            'test',
          );
        },
      },
    ];
  });
  return deeds.toSorted((a, b) => a.atMs - b.atMs);
}

/** The key of a session as a person would type it. */
export const keyOf = (session: string): string =>
  session
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

async function playUntil(
  composition: Composition,
  clock: StoryClock,
  untilMs: number,
): Promise<void> {
  await settle(composition, clock);
  while (clock.step(untilMs)) await settle(composition, clock);
  clock.moveTo(untilMs);
}

/** Resolves when every running turn waits for the world and nothing else is under way. */
async function settle({ holdfast }: Composition, clock: StoryClock): Promise<void> {
  let quiet = 0;
  for (let round = 0; quiet < QUIET_ROUNDS; round += 1) {
    if (round > ROUNDS) throw new Error('The engine does not come to rest.');
    // At work it waits for the disk: to ask all the while would take more processor than the story.
    await (quiet > 0 ? setImmediate() : setTimeout(1));
    const { counts } = await holdfast.call('status.get', {}, 'test');
    quiet = counts.running === clock.onTheWay() && counts.queued === 0 ? quiet + 1 : 0;
  }
}
