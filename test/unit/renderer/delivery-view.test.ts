import { describe, expect, it } from 'vitest';
import type { QueueStatus } from '../../../shared/types/delivery';
import { bytesText, deliveryHead, fillTone } from '../../../renderer/events/delivery-view';
import { hrefOf, parseRoute } from '../../../renderer/route';
import { localDelivery } from '../../helpers/fake-delivery';

const status = (given: Partial<QueueStatus>): QueueStatus => ({
  ...localDelivery().status,
  ...given,
});

describe('the sentence about the broker', () => {
  it.each<[string, Partial<QueueStatus>, string]>([
    ['S2-32 takes events', { broker: 'connected' }, 'The event broker is up.'],
    [
      'S2-34 drains 5,000',
      { broker: 'connected', isDraining: true, depth: 5000 },
      'The event broker is back: sending 5,000 events in order.',
    ],
    [
      'S2-33 is down with 1',
      { broker: 'down', depth: 1 },
      'The event broker is down. 1 event is queued.',
    ],
    [
      'S2-33 is down with none',
      { broker: 'down' },
      'The event broker is down. New events are queued.',
    ],
    [
      'S2-03 is being reached at the start',
      { broker: 'connecting', depth: 3 },
      'Connecting to the event broker. Events are queued in order.',
    ],
  ])('%s', (_words, given, text) => {
    expect(deliveryHead(status(given)).text).toBe(text);
  });
});

describe('how full the queue is', () => {
  it.each([
    [0, 'kept'],
    [0.49, 'kept'],
    [0.5, 'waiting'],
    [0.79, 'waiting'],
    [0.8, 'waiting'],
    [0.81, 'attention'],
    [1, 'attention'],
  ])('S2-37 at %d is %s', (fill, tone) => {
    expect(fillTone(fill)).toBe(tone);
  });

  it.each([
    [0, '0 bytes'],
    [118, '118 bytes'],
    [734_003, '734 kB'],
    [4_194_304, '4.2 MB'],
  ])('S2-33 writes %i as %s', (bytes, text) => {
    expect(bytesText(bytes, 'en-GB')).toBe(text);
  });
});

describe('addresses of outages and delivery', () => {
  it.each([
    ['#/outages', { kind: 'outages' }],
    ['#/outages/anthropic', { kind: 'outages', provider: 'anthropic' }],
    ['#/outages/Office%20proxy', { kind: 'outages', provider: 'Office proxy' }],
    ['#/events/delivery', { kind: 'delivery' }],
  ] as const)('S2-16 %s is read and written the same', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
    expect(hrefOf(route)).toBe(hash);
  });

  it.each(['#/outages/%zz', `#/outages/${'x'.repeat(65)}`, '#/outages/'])(
    'S2-16 %s shows all of them',
    (hash) => {
      expect(parseRoute(hash)).toEqual({ kind: 'outages' });
    },
  );
});
