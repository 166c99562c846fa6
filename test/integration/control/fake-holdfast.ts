import { z } from 'zod';
import type { EventName, EventPayload, Verb, VerbInput } from '../../../shared/contract';
import { VERBS } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import { createFacade } from '../../../electron/engine/api/create-facade';
import type { CallOrigin, Holdfast } from '../../../electron/engine/api/facade';
import type { Handlers } from '../../../electron/engine/api/handlers';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import type { Log, LogFacts } from '../../../electron/ports/log';

type Answers = { [V in Verb]?: (input: VerbInput<V>, origin: CallOrigin) => unknown };

export interface FakeHoldfast extends Holdfast {
  answers: Answers;
  snapshot: StatusSnapshot;
  calls: { verb: Verb; input: unknown; origin: CallOrigin }[];
  emit<E extends EventName>(event: E, payload: EventPayload<E>): void;
  listenerCount(): number;
}

export const NOW_MS = Date.UTC(2026, 2, 24, 14, 31);

export function snapshot(over: Partial<StatusSnapshot> = {}): StatusSnapshot {
  return {
    phase: 'running',
    version: '0.1.0',
    pid: 4242,
    dataDir: '/home/ada/.holdfast',
    startedAtMs: NOW_MS - 25 * 60_000,
    nowMs: NOW_MS,
    tray: 'idle',
    counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
    recovery: { mode: 'safe_only', sideEffectTools: [], restoreSkipped: false },
    journal: { seq: 12, appliedSeq: 12 },
    inbound: { accepted: 0, filtered: 0 },
    configProblems: [],
    kept: { stepsReusedToday: 0, savedUsdToday: 0 },
    ...over,
  };
}

/** The real checks of a call, over a function that answers everything; its answers go unchecked. */
export const checkedFacade = (
  answer: (verb: Verb, input: never, origin: CallOrigin) => Promise<unknown>,
  status = () => snapshot(),
): Holdfast =>
  createFacade({
    phase: () => status().phase,
    rooms: () => ({
      verbs: new Proxy({} as Handlers, {
        get: (_, verb) => (input: never, origin: CallOrigin) => answer(verb as Verb, input, origin),
      }),
      status,
    }),
    starting: status,
    on: () => () => undefined,
    loadContract: () => Promise.resolve(ANY_OUTPUT),
    named: (error) => error,
  });

const ANY_OUTPUT = new Proxy(VERBS, {
  get: (verbs, verb) => ({ ...verbs[verb as Verb], output: () => z.unknown() }),
});

/** The facade with answers from a table: for the transport and the rendering, not for behaviour. */
export function createFakeHoldfast(answers: Answers = {}): FakeHoldfast {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  const answer = async (verb: Verb, input: never, origin: CallOrigin): Promise<unknown> => {
    fake.calls.push({ verb, input, origin });
    const known = fake.answers[verb];
    if (known) return known(input, origin);
    if (verb === 'status.get') return fake.snapshot;
    throw new HoldfastError('INTERNAL', `no answer for ${verb}`);
  };
  const facade = checkedFacade(answer, () => fake.snapshot);
  const fake: FakeHoldfast = {
    answers,
    snapshot: snapshot(),
    calls: [],
    status: () => fake.snapshot,
    call: async (verb, input, origin) => facade.call(verb, input, origin),
    on: (event, listener) => {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener as (payload: never) => void));
      return () => set.delete(listener as (payload: never) => void);
    },
    emit: (event, payload) => {
      for (const listener of listeners.get(event) ?? []) listener(payload as never);
    },
    listenerCount: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
  return fake;
}

interface RecordedLog extends Log {
  readonly lines: { level: string; event: string; facts: LogFacts }[];
}

export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = [];
  const at =
    (level: string) =>
    (event: string, facts: LogFacts = {}) =>
      void lines.push({ level, event, facts });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
