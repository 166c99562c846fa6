import { describe, expect, it } from 'vitest';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { createMissedNotifier } from '../../../electron/engine/replies/missed-notifier';
import type { Sent } from '../../../electron/engine/replies/reply-attempt';
import { REPEAT_NOTE } from '../../../electron/engine/replies/reply-attempt';
import type { Channel, Delivery } from '../../../electron/ports/channel';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import type { InboxRow } from '../../../electron/ports/journal/inbox';

const HOUR = 3_600_000;
const BORN = 100 * HOUR;

const item = (over: Partial<InboxRow> = {}): InboxRow => ({
  id: 5,
  item: 'problem',
  turnId: undefined,
  sessionId: undefined,
  title: 'Missed: Call the bank',
  detail: 'Run it now with "holdfast tasks run 3".',
  facts: { taskId: 3 },
  createdAtMs: BORN,
  settledAtMs: undefined,
  outcome: undefined,
  toldOn: undefined,
  attemptedOn: undefined,
  ...over,
});
const channel = (name: string, over: Partial<Channel> = {}): Channel => ({
  name,
  isReady: () => true,
  deliver: () => Promise.resolve(),
  ...over,
});

/** One life on these notices; what is sent stands in `sent`, what a channel took in `told`. */
function life(given: {
  readonly items: readonly InboxRow[];
  readonly channels: readonly Channel[];
  readonly asked?: string;
  readonly answers?: Sent[];
}) {
  const sent: (Delivery & { readonly on: string })[] = [];
  const told: JournalEntry[] = [];
  const attempted = new Map(given.items.map((one) => [one.id, one.attemptedOn]));
  const sendDue = createMissedNotifier({
    journal: {
      commit: (entries) => {
        for (const entry of entries) {
          if (entry.kind === 'missed.told') told.push(entry);
          if (entry.kind === 'missed.attempted') attempted.set(entry.inboxId, entry.channel);
          if (entry.kind === 'missed.not_taken') attempted.delete(entry.inboxId);
        }
        return Promise.resolve({ firstSeq: 1, atMs: BORN });
      },
    },
    reads: {
      inbox: ({ afterId = 0, limit }) =>
        given.items
          .filter(({ id }) => id > afterId)
          .slice(0, limit)
          .map((one) => ({ ...one, attemptedOn: attempted.get(one.id) })),
      originOf: () => 'db',
    },
    clock: { nowMs: () => BORN },
    crashPoints: noCrashPoints,
    log: { debug: () => 0, info: () => 0, warn: () => 0, error: () => 0 },
    channels: { list: () => given.channels, defaultName: () => 'team', isQuiet: () => false },
    timed: {
      askedFor: ({ facts }) =>
        facts === undefined ? undefined : { channel: given.asked ?? 'phone', peer: 'anna' },
    },
    send: (to, delivery) => {
      sent.push({ ...delivery, on: to.name });
      return Promise.resolve(given.answers?.shift() ?? { kind: 'taken' });
    },
    signal: new AbortController().signal,
  });
  return { sendDue, sent, told };
}
const phone = channel('phone', { showsRepeats: true });
const team = channel('team');

describe('notices of what was missed', () => {
  it('S0-24 R11 go to who asked, with what runs it, under an id that stays; what took it is kept', async () => {
    const { sendDue, sent, told } = life({ items: [item()], channels: [phone, team] });
    expect(await sendDue()).toEqual({ kind: 'done' });
    expect(sent).toEqual([
      {
        on: 'phone',
        deliveryId: 'db:missed:5',
        kind: 'missed',
        peer: 'anna',
        sessionKey: '',
        text: 'Missed: Call the bank\n\nRun it now with "holdfast tasks run 3".',
      },
    ]);
    expect(told).toEqual([{ kind: 'missed.told', inboxId: 5, channel: 'phone' }]);
  });

  it.each([
    ['another notice', { items: [item({ facts: undefined })] }],
    ['one that was told', { items: [item({ toldOn: 'phone' })] }],
    ['one of more than 24 h ago', { items: [item({ createdAtMs: BORN - 25 * HOUR })] }],
    ['one of the window, which has notices of its own', { items: [item()], asked: 'window' }],
  ])('S0-24 leave out %s', async (_what, given) => {
    const { sendDue, sent } = life({ channels: [phone, team, channel('window')], ...given });
    expect(await sendDue()).toEqual({ kind: 'done' });
    expect(sent).toEqual([]);
  });

  it('S0-24 are told behind 2,000 that stay open: old ones, told ones and others', async () => {
    const open = Array.from({ length: 2_000 }, (_, id) =>
      item({
        id: id + 1,
        ...[{ toldOn: 'phone' }, { facts: undefined }, { createdAtMs: 0 }][id % 3],
      }),
    );
    const { sendDue, sent } = life({ items: [...open, item({ id: 2_001 })], channels: [phone] });
    expect(await sendDue()).toEqual({ kind: 'done' });
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual(['db:missed:2001']);
  });

  it('S1-02 go to the default channel, with where they belong, when theirs is gone or will not take them', async () => {
    const refused = { kind: 'failed', error: 'no', isRefused: true, isUnknown: false } as const;
    const gone = life({ items: [item()], channels: [team] });
    const other = life({ items: [item()], channels: [phone, team], answers: [refused] });
    await gone.sendDue();
    await other.sendDue();
    expect(gone.sent.map(({ on, peer }) => [on, peer])).toEqual([['team', '']]);
    expect(gone.sent[0]?.text).toMatch(
      /^This was asked by anna on the channel "phone", which is no longer .*\n\nMissed: Call the bank/,
    );
    expect(other.sent.map(({ on }) => on)).toEqual(['phone', 'team']);
    expect(other.told).toEqual([{ kind: 'missed.told', inboxId: 5, channel: 'team' }]);
  });

  it.each([
    ['was sent there, with an unknown end', 'phone', phone, REPEAT_NOTE],
    ['was never sent', undefined, phone, undefined],
    ['was sent elsewhere', 'mail', phone, undefined],
    ['goes where its id is known', undefined, team, undefined],
  ] as const)(
    'R12 one of an earlier life that %s says where it is read twice whether it may have arrived',
    async (_what, attemptedOn, to, note) => {
      const items = [item({ createdAtMs: BORN - HOUR, attemptedOn })];
      const { sendDue, sent } = life({ items, channels: [to], asked: to.name });
      await sendDue();
      expect(sent.map(({ on, repeatNote }) => [on, repeatNote])).toEqual([[to.name, note]]);
    },
  );

  it('S1-02 one channel that is away or fails holds up no other, and is tried again', async () => {
    const isAway = channel('phone', { isReady: () => false });
    const both = [item(), item({ id: 6 })];
    const away = life({ items: both, channels: [isAway, team] });
    expect(await away.sendDue()).toEqual({ kind: 'later' });
    expect(away.sent).toEqual([]);
  });

  it.each([true, false])(
    'R12 one whose end is %s to be unknown says the next time whether it may have arrived',
    async (isUnknown) => {
      const failed = { kind: 'failed', error: 'broken', isRefused: false, isUnknown } as const;
      const both = [item(), item({ id: 6 })];
      const { sendDue, sent, told } = life({ items: both, channels: [phone], answers: [failed] });
      expect(await sendDue()).toEqual({ kind: 'later', error: 'broken' });
      expect(told).toEqual([{ kind: 'missed.told', inboxId: 6, channel: 'phone' }]);
      both.pop();
      expect(await sendDue()).toEqual({ kind: 'done' });
      expect(sent.map(({ deliveryId, repeatNote }) => [deliveryId, repeatNote])).toEqual([
        ['db:missed:5', undefined],
        ['db:missed:6', undefined],
        ['db:missed:5', isUnknown ? REPEAT_NOTE : undefined],
      ]);
    },
  );
});
