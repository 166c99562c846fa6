/** What starts a task beside time: one grammar, and what it refuses. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTrigger, triggerText, type Trigger } from '../../../shared/schedule/trigger';

const read = (text: string) => parseTrigger(`on ${text}`, text);

describe('GT-02 GT-04 the grammar of events', () => {
  it.each<[string, Trigger, string?]>([
    ['file ~/inbox', { on: 'file', path: '~/inbox' }],
    ['folder "in box" debounce 1m', { on: 'file', path: 'in box' }, '1m'],
    ['git ~/project', { on: 'git', place: '~/project', ref: 'HEAD' }],
    ['webhook ci', { on: 'webhook', channel: 'ci' }],
    ['webhook ci where build failed', { on: 'webhook', channel: 'ci', where: 'build failed' }],
    ['nats orders.created', { on: 'nats', subject: 'orders.created' }],
    ['nats orders.*.new debounce 5s', { on: 'nats', subject: 'orders.*.new' }, '5s'],
    ['nats orders.>', { on: 'nats', subject: 'orders.>' }],
    ['NATS bills where "over due"', { on: 'nats', subject: 'bills', where: 'over due' }],
    ['nats holdfast.order', { on: 'nats', subject: 'holdfast.order' }],
    ['task 3', { on: 'task', taskId: 3 }],
  ])('reads "on %s"', (text, trigger, debounce) => {
    expect(read(text)).toEqual({ ok: true, trigger, debounce });
    expect(triggerText(trigger)).not.toBe('');
  });

  it.each([
    ['nothing', 'nats'],
    ['a filter without a text', 'nats orders.new where'],
    ['words that are no filter', 'nats orders.new soon'],
    ['an empty token', 'nats orders..new'],
    ['a wildcard inside a token', 'nats orders.n*w'],
    ['the rest before the end', 'nats orders.>.new'],
    ['what the server keeps for itself', 'nats $JS.API'],
    ['a long subject', `nats ${'a'.repeat(201)}`],
    ['the ends of own turns', 'nats holdfast.turn.completed'],
    ['them with a wildcard', 'nats holdfast.*.completed'],
    ['them with the rest', 'nats holdfast.>'],
    ['them with any first token', 'nats *.turn.failed'],
    ['everything', 'nats >'],
    ['everything with two tokens', 'nats *.>'],
    ['a channel that has a space', 'webhook "c i"'],
    ['an unknown source', 'kafka orders'],
  ])('refuses %s', (_what, text) => {
    expect(read(text)).toMatchObject({ ok: false });
  });

  it('never throws, and what it reads of a subject is one of NATS', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = read(`nats ${text}`);
        if (parsed.ok && parsed.trigger.on === 'nats')
          expect(parsed.trigger.subject).toMatch(/^[\w.*>-]{1,200}$/);
      }),
    );
  });
});
