import { describe, expect, it } from 'vitest';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import { headersOf, tracesUrl } from '../../../electron/adapters/traces/otlp-http';
import {
  attributesOf,
  reuseSpan,
  stepSpan,
  traceIds,
  turnSpan,
} from '../../../electron/engine/traces/trace-spans';
import { createTraces } from '../../../electron/engine/traces/traces';
import type { StepRow, TurnRow } from '../../../electron/ports/journal/rows';

const ids = traceIds(createHasher(), 'data-1');
const turn = {
  id: 7,
  agent: 'notes',
  sessionKey: 'main',
  state: 'completed',
  attempt: 2,
  acceptedAtMs: 1_000,
  endedAtMs: 5_000,
  usage: { inputTokens: 10, outputTokens: 3, costUsd: 0.25 },
  reusedCount: 1,
  frameId: 1,
} as TurnRow;
const step = (more: Partial<StepRow> = {}): StepRow =>
  ({
    turnId: 7,
    step: 2,
    attempt: 1,
    tool: 'files.read_file',
    purity: 'pure',
    state: 'completed',
    startedAtMs: 2_000,
    endedAtMs: 2_500,
    end: { state: 'completed', content: { kind: 'inline', text: 'x' }, isError: false },
    ...more,
  }) as StepRow;
const names = { provider: 'anthropic', model: 'claude-x' };
const keysOf = (span: { attributes: readonly { key: string }[] } | undefined) =>
  span?.attributes.map(({ key }) => key);

describe('a turn as a trace', () => {
  it('OT-01 numbers are those of OTLP, the same in a later process, and others for other data', () => {
    expect(ids.trace(7)).toMatch(/^[0-9a-f]{32}$/);
    expect(ids.step(7, 2)).toMatch(/^[0-9a-f]{16}$/);
    expect(traceIds(createHasher(), 'data-1').trace(7)).toBe(ids.trace(7));
    expect(traceIds(createHasher(), 'data-2').trace(7)).not.toBe(ids.trace(7));
    expect(new Set([ids.turn(7), ids.step(7, 7), ids.step(77, 7), ids.reuse(7, 7, 1)]).size).toBe(
      4,
    );
  });

  it('OT-01 the turn is invoke_agent with its agent, conversation and tokens; open it is no span', () => {
    const span = turnSpan(ids, turn, {});
    expect(span).toMatchObject({
      name: 'invoke_agent notes',
      startTimeUnixNano: '1000000000',
      endTimeUnixNano: '5000000000',
      status: { code: 0 },
    });
    expect(span?.attributes).toEqual(
      expect.arrayContaining([
        ...attributesOf({
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'notes',
          'gen_ai.conversation.id': 'main',
          'gen_ai.usage.input_tokens': 10,
          'holdfast.cost_usd': 0.25,
        }),
      ]),
    );
    expect(turnSpan(ids, { ...turn, endedAtMs: undefined }, {})).toBeUndefined();
    expect(turnSpan(ids, { ...turn, state: 'failed' }, {})?.status.code).toBe(2);
  });

  it('OT-01 a model call is chat, a tool call execute_tool, each inside its turn', () => {
    const tool = stepSpan(ids, step(), names, {});
    expect(tool).toMatchObject({
      name: 'execute_tool files.read_file',
      parentSpanId: ids.turn(7),
      traceId: ids.trace(7),
    });
    const chat = stepSpan(ids, step({ purity: 'llm', tool: 'model' }), names, {});
    expect(chat).toMatchObject({ name: 'chat claude-x', kind: 3 });
    expect(keysOf(chat)).toContain('gen_ai.provider.name');
    expect(stepSpan(ids, step({ endedAtMs: undefined }), names, {})).toBeUndefined();
    expect(stepSpan(ids, step({ state: 'ambiguous' }), names, {})?.status).toEqual({
      code: 2,
      message: 'ambiguous',
    });
  });

  it('OT-01 texts are there only if they are given', () => {
    expect(keysOf(stepSpan(ids, step(), names, {}))?.join()).not.toMatch(
      /arguments|result|messages/,
    );
    const told = stepSpan(ids, step(), names, { input: 'in', output: 'out' });
    expect(keysOf(told)).toEqual(
      expect.arrayContaining(['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']),
    );
  });

  it('OT-01 a reused step is a moment of the same trace that links to the step', () => {
    expect(reuseSpan(ids, step(), names, 9_000)).toMatchObject({
      traceId: ids.trace(7),
      name: 'reuse execute_tool files.read_file',
      startTimeUnixNano: '9000000000',
      endTimeUnixNano: '9000000000',
      links: [{ traceId: ids.trace(7), spanId: ids.step(7, 2) }],
    });
  });

  it.each([
    ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
    ['http://localhost:4318/', 'http://localhost:4318/v1/traces'],
    ['https://c.example/otlp/v1/traces', 'https://c.example/otlp/v1/traces'],
  ])('OT-01 %s is asked at %s', (given, expected) => {
    expect(tracesUrl(given)).toBe(expected);
  });

  it('OT-01 headers are those of the environment, as OpenTelemetry writes them', () => {
    expect(headersOf('authorization=Bearer%20abc, x-team = a=b,broken,=no')).toEqual({
      authorization: 'Bearer abc',
      'x-team': 'a=b',
    });
    expect(headersOf(undefined)).toEqual({});
  });
});

describe('sending', () => {
  function createWorld(send: () => Promise<void>) {
    const lost: number[] = [];
    const waits: number[] = [];
    const wake: (() => void)[] = [];
    const sent: { spans: number }[] = [];
    const traces = createTraces({
      ids,
      reads: { turn: () => turn, steps: () => [step()], frame: () => undefined },
      self: {},
      version: '1',
      nowMs: () => 0,
      texts: { turn: () => Promise.resolve({}), step: () => Promise.resolve({}) },
      async send(body) {
        await send();
        const { resourceSpans } = body as {
          resourceSpans: [{ scopeSpans: [{ spans: unknown[] }] }];
        };
        sent.push({ spans: resourceSpans[0].scopeSpans[0].spans.length });
      },
      sleep: (ms) => {
        waits.push(ms);
        return new Promise((resolve) => wake.push(resolve));
      },
      onLost: (spans) => lost.push(spans),
    });
    return { traces, lost, waits, wake, sent };
  }
  const ended = (count: number) =>
    Array.from({ length: count }, () => ({ kind: 'step.ended', turnId: 7, step: 2 }) as never);
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('OT-01 steps that end together go in one request', async () => {
    const { traces, sent, waits, wake } = createWorld(() => Promise.resolve());
    traces.take(ended(2));
    traces.take(ended(1));
    expect(waits).toEqual([2_000]);
    wake[0]?.();
    await settled();
    expect(sent).toEqual([{ spans: 3 }]);
  });

  it('OT-01 a collector that is away is asked again, ever more rarely, and loses nothing within bounds', async () => {
    let isAway = true;
    const world = createWorld(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(),
    );
    world.traces.take(ended(2));
    for (let n = 0; n < 3; n += 1) {
      world.wake[n]?.();
      await settled();
    }
    expect(world.waits).toEqual([2_000, 5_000, 10_000, 20_000]);
    isAway = false;
    world.wake[3]?.();
    await settled();
    expect(world.sent).toEqual([{ spans: 2 }]);
    expect(world.lost).toEqual([]);
  });

  it('OT-01 more than 4,096 waiting spans are too many: the oldest go, and it is said', async () => {
    const world = createWorld(() => Promise.reject(new Error('away')));
    for (let n = 0; n < 2; n += 1) {
      world.traces.take(ended(4_000));
      await world.traces.flush().catch(() => undefined);
    }
    expect(world.lost).toEqual([3_904]);
  });
});
