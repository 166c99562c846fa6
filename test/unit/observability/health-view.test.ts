import { describe, expect, it } from 'vitest';
import { healthAnswer, readiness } from '../../../electron/observability/health-view';
import type { StatusSnapshot } from '../../../shared/types';
import { quietSnapshot } from '../../helpers/snapshot';

const status = (given: Partial<StatusSnapshot> = {}): StatusSnapshot =>
  quietSnapshot({ phase: 'running', ...given });
const journal = {
  seq: 1,
  appliedSeq: 1,
  refusal: { code: 'DISK_FULL', message: 'The disk is full.', sinceMs: 1 },
};
const delivery = { broker: 'connected' as const, depth: 0, deadLetters: 0, shed: 0 };
const down = {
  providers: [
    { provider: 'anthropic', state: 'down' as const, waiting: 4, sentence: 'Anthropic is down.' },
  ],
  openBreakers: ['provider.anthropic', 'mcp.files'],
};

describe('readiness', () => {
  it.each([
    ['starting', 'It is starting.'],
    ['stopping', 'It is stopping.'],
    ['stopped', 'It has stopped.'],
  ] as const)('S2-54 is not there while Holdfast is %s', (phase, engine) => {
    expect(readiness({ status: status({ phase }), agents: 0 })).toEqual({
      kind: 'not_ready',
      reasons: { engine },
    });
  });

  it('S2-54 needs one agent that can take a turn', () => {
    expect(readiness({ status: status(), agents: 0 })).toMatchObject({
      kind: 'not_ready',
      reasons: { agents: expect.any(String) as string },
    });
    expect(readiness({ status: status(), agents: 1 })).toEqual({ kind: 'ready', degraded: [] });
  });

  it('R16 a provider outage is ready and degraded, named once with its breaker', () => {
    expect(readiness({ status: status({ outside: down }), agents: 1 })).toEqual({
      kind: 'ready',
      degraded: ['provider.anthropic: down', 'mcp.files: circuit open'],
    });
  });

  it.each(['connecting', 'down'] as const)(
    'R16 a broker that is %s is ready and degraded, as the disk queue takes events',
    (broker) => {
      expect(
        readiness({ status: status({ delivery: { ...delivery, broker, shed: 2 } }), agents: 1 }),
      ).toEqual({
        kind: 'ready',
        degraded: [`broker: ${broker}`, 'events: some were dropped'],
      });
    },
  );

  it.each([
    ['no broker', 'not_ready', undefined],
    ['a local bus', 'not_ready', { ...delivery, broker: 'local' as const }],
    ['a broker that is down', 'not_ready', { ...delivery, broker: 'down' as const }],
    ['a connected broker', 'ready', delivery],
  ] as const)('R16 with a refusing disk and %s it is %s', (_, kind, given) => {
    const found = readiness({
      status: status({ journal: journal as never, ...(given && { delivery: given }) }),
      agents: 1,
    });
    expect(found.kind).toBe(kind);
    if (found.kind === 'ready') expect(found.degraded).toEqual(['disk: DISK_FULL']);
  });

  it('R16 a disk that refuses only reads leaves it ready and degraded: what is sent is taken', () => {
    const refusal = { ...journal.refusal, code: 'DISK_FAILED', of: 'reads' as const };
    const found = readiness({ status: status({ journal: { ...journal, refusal } }), agents: 1 });
    expect(found).toEqual({ kind: 'ready', degraded: ['disk: DISK_FAILED'] });
  });
});

describe('answers on the health port', () => {
  const facts = () => ({ status: status({ outside: down }), agents: 2 });

  it('S2-55 /live and /health are 200 whatever is wrong, and ask nothing of the engine', () => {
    const nothing = (): never => {
      throw new Error('not to be asked');
    };
    for (const path of ['/live', '/health'])
      expect(healthAnswer(path, nothing)).toEqual({ status: 200, body: '{"status":"live"}\n' });
  });

  it('S2-54 /ready says status, what is degraded and how many agents run', () => {
    const answer = healthAnswer('/ready', facts);
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      status: 'ready',
      degraded: ['provider.anthropic: down', 'mcp.files: circuit open'],
      agents_running: 2,
    });
  });

  it('S2-54 /ready is 503 with a reason for each subsystem', () => {
    const answer = healthAnswer('/ready', () => ({
      status: status({ phase: 'stopping', journal: journal as never }),
      agents: 0,
    }));
    expect(answer?.status).toBe(503);
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      status: 'not_ready',
      reasons: {
        engine: 'It is stopping.',
        queue: 'The disk cannot be written and no event broker is connected.',
      },
    });
  });

  it.each(['/', '/ready/', '/metrics', '/livex'])('S2-54 has nothing at %s', (path) => {
    expect(healthAnswer(path, facts)).toBeUndefined();
  });
});
