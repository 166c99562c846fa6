import { quoted } from '../../../shared/reason';
import { describe, expect, it } from 'vitest';
import {
  judgeOutcome,
  groupByTopic,
  retryDelayMs,
} from '../../../electron/engine/outbox/plan-drain';
import { createLocalBus } from '../../../electron/engine/outbox/local-bus';
import { ownEvent } from '../../../electron/engine/outbox/internal-events';
import {
  DELIVERY_RULES,
  eventProblem,
  payloadProblem,
  planPublish,
  slowdownMs,
  utf8Bytes,
} from '../../../electron/engine/outbox/queue-rules';
import type { WaitingEvent } from '../../../electron/ports/event-queue';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { MAX_EVENT_BYTES } from '../../../shared/types/delivery';
import { brokerUrlProblem } from '../../../shared/safe-url';
import { SETTINGS } from '../../../shared/settings';

const waiting = (seq: number, topic: string, attempts = 0): WaitingEvent => ({
  seq,
  id: `e${String(seq)}`,
  topic,
  bytes: 2,
  enqueuedAtMs: 0,
  attempts,
});

describe('where an event goes', () => {
  it.each([
    ['connected', false, false, 'direct'],
    ['connected', true, false, 'disk'],
    ['connected', false, true, 'disk'],
    ['down', false, false, 'disk'],
    ['connecting', false, false, 'disk'],
    ['local', true, true, 'local'],
  ] as const)(
    'S2-32 S2-33 broker %s, topic waits %s, id known %s: %s',
    (broker, isTopicWaiting, isIdKnown, plan) => {
      expect(planPublish({ broker, isTopicWaiting, isIdKnown })).toBe(plan);
    },
  );

  it.each([
    [0, 0],
    [5_000, 0],
    [5_001, 0],
    [6_000, 100],
    [7_500, 250],
    [10_000, 500],
    [12_000, 500],
  ])('S2-37 with %i of 10000 waiting a producer is slowed by %i ms', (depth, delayMs) => {
    expect(slowdownMs(depth, 10_000)).toBe(delayMs);
  });

  it('S2-37 the cap is 10000 and the largest event 4 MB where the settings say nothing', () => {
    expect(SETTINGS['limits.max_pending'].default).toBe(10_000);
    expect(SETTINGS['limits.max_payload'].default).toBe(4 * 1024 * 1024);
    expect(SETTINGS['nats.url'].default).toBe('');
    expect(DELIVERY_RULES).toMatchObject({ maxShedLetters: 10_000, drainBatch: 100 });
  });
});

describe('what is taken as an event', () => {
  const event = { id: 'a', topic: 'x.y', payload: '{}', bytes: 2, maxBytes: MAX_EVENT_BYTES };

  it('S2-33 takes 4194304 bytes and refuses 4194305 with both numbers', () => {
    const fits = `"${'x'.repeat(MAX_EVENT_BYTES - 2)}"`;
    expect(eventProblem({ ...event, payload: fits, bytes: utf8Bytes(fits) })).toBeUndefined();
    const over = `"${'x'.repeat(MAX_EVENT_BYTES - 3)}é"`;
    expect(utf8Bytes(over)).toBe(MAX_EVENT_BYTES + 1);
    expect(eventProblem({ ...event, payload: over, bytes: utf8Bytes(over) })).toMatchObject({
      code: 'EVENT_TOO_LARGE',
      message: 'The event has 4194305 bytes; the maximum is 4194304.',
    });
  });

  it.each([
    ['a topic with a wildcard', { topic: 'x.*' }],
    ['an empty topic', { topic: '' }],
    ['a topic with an empty token', { topic: 'x..y' }],
    ['an id with a space', { id: 'a b' }],
    ['a payload that is no JSON', { payload: '{broken', bytes: 7 }],
  ])('S2-33 refuses %s and says why', (_name, wrong) => {
    expect(eventProblem({ ...event, ...wrong })).toMatchObject({
      kind: 'refused',
      code: 'INPUT_INVALID',
    });
  });

  it.each(['', 'abc', 'äöü', '€', '😀', 'a😀b', '\ud83d', '\ude00x'])(
    'S2-33 counts the bytes of %j as they are written',
    (text) => {
      expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
    },
  );

  it('S2-35 a row whose payload is no text, of another length or no JSON cannot be sent', () => {
    expect(payloadProblem('{}', 2)).toBeUndefined();
    expect(payloadProblem(Buffer.from('{}'), 2)).toBe('The payload on disk is not text.');
    expect(payloadProblem('{}', 3)).toBe('The payload on disk is not as long as it was.');
    expect(payloadProblem('{]', 2)).toBe('The payload on disk is not JSON.');
  });
});

describe('what an answer of the broker means', () => {
  it('S2-27 S2-35 R26 the 3rd refusal makes a dead letter, the 2nd does not, and silence is no attempt', () => {
    const refused = { kind: 'refused', error: 'no' } as const;
    expect(judgeOutcome(waiting(1, 's', 0), refused).kind).toBe('failed');
    expect(judgeOutcome(waiting(1, 's', 1), refused).kind).toBe('failed');
    expect(judgeOutcome(waiting(1, 's', 2), refused)).toMatchObject({
      kind: 'buried',
      letter: { reason: 'refused', detail: 'no' },
    });
    expect(judgeOutcome(waiting(1, 's', 2), { kind: 'unreachable', error: 'x' }).kind).toBe('cut');
    expect(judgeOutcome(waiting(1, 's', 0), { kind: 'too_large', error: 'x' })).toMatchObject({
      kind: 'buried',
      letter: { reason: 'too_large' },
    });
  });

  it('S2-27 a refused event is tried again after 1 s and 2 s', () => {
    expect([1, 2].map(retryDelayMs)).toEqual([1_000, 2_000]);
  });

  it('S2-34 topics go side by side, each in its order', () => {
    const batch = [waiting(1, 'a'), waiting(2, 'b'), waiting(3, 'a'), waiting(4, 'c')];
    const topics = groupByTopic(batch);
    expect(topics.map((rows) => rows.map((event) => event.seq))).toEqual([[1, 3], [2], [4]]);
  });
});

describe('what Holdfast publishes by itself', () => {
  const facts = { seq: 7, atMs: 5, databaseId: 'db', withText: false };
  const closed: JournalEntry = {
    kind: 'turn.closed',
    turnId: 3,
    sessionId: 2,
    state: 'completed',
    reason: quoted('It said something private.'),
    answer: { kind: 'inline', text: 'the answer' },
    hasReply: true,
  };

  it('R12 the id of an event is that of its journal row, and no text is in it', () => {
    expect(ownEvent(closed, facts)).toEqual({
      id: 'db-7',
      topic: 'holdfast.turn.completed',
      payload: '{"id":"db-7","atMs":5,"turnId":3,"sessionId":2,"state":"completed"}',
      bytes: 67,
    });
    expect(ownEvent(closed, { ...facts, withText: true })?.payload).toContain('the answer');
  });

  it.each([
    [
      'turn.accepted',
      { kind: 'message.accepted', turnId: 1, sessionId: 1, channel: 'cli', promptStart: 'p' },
    ],
    ['turn.held', { kind: 'turn.state', turnId: 1, state: 'held', reason: 'r' }],
    ['started', { kind: 'marker.started', startId: 1, reason: 'crash', version: '1' }],
    ['outage.declared', { kind: 'outage.declared', outageId: 1, provider: 'office' }],
    ['outage.resolved', { kind: 'outage.resolved', outageId: 1, provider: 'office' }],
    [undefined, { kind: 'turn.state', turnId: 1, state: 'running', reason: '' }],
    [undefined, { kind: 'step.started', turnId: 1, step: 1 }],
  ])('R17 tells %s of its journal entry', (topic, entry) => {
    const told = ownEvent(entry as unknown as JournalEntry, facts);
    expect(told?.topic).toBe(topic === undefined ? undefined : `holdfast.${topic}`);
    if (told !== undefined) expect(told.payload).not.toContain('"prompt"');
  });
});

describe('the bus inside the process', () => {
  it('S2-33 hands an event to every subscriber and to the audit; one that fails stops nobody', async () => {
    const lines: unknown[] = [];
    const bus = createLocalBus({
      audit: { record: (event, about) => lines.push([event, about]), flush: async () => undefined },
      sinceMs: 1,
    });
    const heard: string[] = [];
    bus.subscribe(() => {
      throw new Error('mine');
    });
    const off = bus.subscribe((event) => heard.push(event.id));
    await bus.publish({ id: 'a', topic: 't', payload: '1' });
    off();
    await bus.publish({ id: 'b', topic: 't', payload: '1' });
    expect(heard).toEqual(['a']);
    expect(lines).toEqual([
      ['event', { id: 'a', topic: 't' }],
      ['event', { id: 'b', topic: 't' }],
    ]);
  });
});

describe('the address of the broker', () => {
  it.each([
    ['nats://127.0.0.1:4222', undefined],
    ['nats://localhost', undefined],
    ['nats://[::1]:4222', undefined],
    ['tls://nats.example.com:4222', undefined],
    ['nats://nats.example.com', /use tls/],
    ['nats://user:secret@127.0.0.1', /no user name or password/],
    ['http://127.0.0.1', /use tls/],
    ['127.0.0.1:4222', /whole address|use tls/],
  ])('S2-03 %s: %s', (url, problem) => {
    const found = brokerUrlProblem(url);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});
