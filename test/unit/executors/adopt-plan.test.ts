import { describe, expect, it } from 'vitest';
import {
  openedInTerminal,
  planAdopt,
  STILL_WARM_MS,
  type AdoptFacts,
} from '../../../electron/engine/executors/program/plan-adopt';

const NOW = 10_000_000;
const OLD = NOW - STILL_WARM_MS;
const facts = (more: Partial<AdoptFacts> = {}): AdoptFacts => ({
  ref: 'r',
  agent: 'c',
  key: undefined,
  nowMs: NOW,
  recordAtMs: OLD,
  watched: undefined,
  holder: undefined,
  ...more,
});
const watched = (more: Partial<NonNullable<AdoptFacts['watched']>> = {}) => ({
  watched: { hasEnded: false, lastAtMs: OLD, process: 'unknown' as const, ...more },
});
const holder = (more: Partial<NonNullable<AdoptFacts['holder']>> = {}) => ({
  holder: { sessionId: 4, key: 'k', agent: 'c', isInTerminal: true, ...more },
});

describe('taking over a conversation', () => {
  it.each([
    ['quiet and of nobody', facts(), 'new'],
    ['without a record', facts({ recordAtMs: undefined }), 'new'],
    [
      'ended a moment ago',
      facts({ recordAtMs: NOW, ...watched({ hasEnded: true, lastAtMs: NOW - 2_000 }) }),
      'new',
    ],
    [
      'killed a moment ago',
      facts({ recordAtMs: NOW, ...watched({ process: 'dead', lastAtMs: NOW }) }),
      'new',
    ],
    ['handed back by its session', facts(holder()), 'back'],
    ['handed back, asked for by its name', facts({ ...holder(), key: 'k' }), 'back'],
  ] as const)('%s: it goes on here', (_name, given, kind) => {
    expect(planAdopt(given).kind).toBe(kind);
  });

  it.each([
    ['a watched terminal is alive', facts(watched({ process: 'alive' })), 'watched terminal'],
    ['its record was just written', facts({ recordAtMs: NOW - 3_000 }), '3 s ago'],
    [
      'a terminal of which nothing is known wrote just now',
      facts(watched({ lastAtMs: NOW - 9_000 })),
      '9 s ago',
    ],
    [
      'somebody else wrote after its known end',
      facts({ recordAtMs: NOW - 1_000, ...watched({ hasEnded: true, lastAtMs: NOW - 30_000 }) }),
      '1 s ago',
    ],
    [
      'another session has it',
      facts(holder({ isInTerminal: false })),
      'The session "k" already has',
    ],
    ['it was handed back by another agent', facts(holder({ agent: 'd' })), 'agent "d"'],
    [
      'it was handed back by a session of another name',
      facts({ ...holder(), key: 'other' }),
      'session "k"',
    ],
    [
      'handed back and the terminal is alive',
      facts({ ...holder(), ...watched({ process: 'alive' }) }),
      'watched terminal',
    ],
  ] as const)('is refused where %s', (_name, given, words) => {
    const plan = planAdopt(given);
    expect(plan).toMatchObject({ kind: 'refused', code: 'CONVERSATION_BUSY' });
    expect(plan.kind === 'refused' && plan.message).toContain(words);
  });
});

describe('a conversation that Holdfast has', () => {
  it.each([
    ['was never watched', undefined, false],
    ['its terminal is alive', watched({ process: 'alive' }).watched, true],
    ['its terminal was killed', watched({ process: 'dead' }).watched, false],
    ['its terminal said goodbye', watched({ process: 'alive', hasEnded: true }).watched, false],
    ['of its terminal nothing is known', watched().watched, false],
  ] as const)('%s: in use there is %o', (_name, given, isOpen) => {
    expect(openedInTerminal(given) !== undefined).toBe(isOpen);
  });
});
