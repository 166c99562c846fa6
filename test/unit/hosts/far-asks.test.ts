import { describe, expect, it } from 'vitest';
import { readAsks, tellAsks } from '../../../shared/far-asks';
import {
  hostInbox,
  type ApprovalView,
  type InboxItem,
  type ReplayDecision,
} from '../../../shared/types';
import { farCall, farTurn } from '../../helpers/far-asks';
import { createSeed } from '../../helpers/fake-seed';

const HASH = 'a'.repeat(64);
const seed = createSeed(1_700_000_000_000);
const [firstRequest] = seed.approvals.filter(({ answer }) => answer === undefined);
const [firstDecision] = seed.decisions;
const request = (requestId: number, more: Partial<ApprovalView> = {}): ApprovalView => ({
  ...firstRequest!,
  requestId,
  requestHash: HASH,
  ...more,
});
const decision = (inboxId: number, more: Partial<ReplayDecision> = {}): ReplayDecision => ({
  ...firstDecision!,
  inboxId,
  requestHash: HASH,
  ...more,
});
const item = (id: number, kind: InboxItem['kind'], more: Partial<InboxItem> = {}): InboxItem => ({
  id,
  kind,
  title: 't',
  detail: '',
  createdAtMs: 1,
  ...more,
});
/** As it travels, and what the other side makes of it. */
const travelled = (told: unknown) => {
  const read = readAsks(JSON.parse(JSON.stringify(told)));
  if (read !== undefined) hostInbox().parse({ name: 'box', waiting: read });
  return read;
};
const list = (...one: readonly unknown[]) => ({ list: one, more: 0, others: 0 });

describe('what a host tells of its decisions', () => {
  it('HO-02 open calls and interrupted turns come over whole, oldest first; the rest of the inbox is counted', () => {
    const told = tellAsks({
      requests: [
        request(5, { requestedAtMs: 30 }),
        request(6, { requestedAtMs: 20, answer: 'denied' }),
      ],
      decisions: [decision(4, { createdAtMs: 10 })],
      items: [
        item(4, 'replay_decision'),
        item(5, 'approval'),
        item(7, 'problem'),
        item(8, 'problem', { settledAtMs: 2 }),
        item(9, 'restart_notice'),
      ],
    });
    const read = travelled({ list: told.list, more: told.more, others: told.others });
    expect(read?.asks.map((ask) => [ask.kind, ask.askedAtMs])).toEqual([
      ['turn', 10],
      ['call', 30],
    ]);
    expect(read).toMatchObject({ hidden: 0, others: 1 });
    const { args, tool, isTruncated } = request(5);
    expect(read?.asks[1]).toMatchObject({ requestId: 5, args, tool, isTruncated });
    const { question, turnId } = decision(4);
    expect(read?.asks[0]).toMatchObject({ question, turnId });
  });

  it('HO-02 no more than 40 and 200,000 characters travel; what is left out is counted, so nobody takes it for all', () => {
    const args = 'x'.repeat(4_000);
    const many = Array.from({ length: 60 }, (_, n) => request(n + 1, { requestedAtMs: n }));
    const short = tellAsks({ requests: many, decisions: [], items: [] });
    expect([short.list.length, short.more]).toEqual([40, 20]);
    const long = tellAsks({
      requests: Array.from({ length: 60 }, (_, n) =>
        request(n + 1, { args, reason: 'y'.repeat(500), promptStart: args.slice(0, 200) }),
      ),
      decisions: Array.from({ length: 20 }, (_, n) =>
        decision(n + 100, {
          ambiguous: Array.from({ length: 15 }, () => ({ ...firstDecision!.ambiguous[0]!, args })),
        }),
      ),
      items: [],
    });
    expect(JSON.stringify(long).length).toBeLessThan(210_000);
    expect(long.list.length + long.more).toBe(80);
    const tooMany = Array.from({ length: 21 }, () => firstDecision!.ambiguous[0]!);
    expect(
      tellAsks({ requests: [], decisions: [decision(1, { ambiguous: tooMany })], items: [] }),
    ).toEqual({ list: [], more: 1, others: 0 });
  });
});

describe('what is read of it', () => {
  it('HO-02 of a later version the known is read, and what is not understood is counted', () => {
    const read = travelled({
      list: [{ ...farCall, mood: 'good' }, { ...farTurn, waits: 'dreaming' }, farTurn],
      more: 1,
      others: 0,
      news: true,
    });
    expect(read).toEqual({ asks: [farCall, farTurn], hidden: 2, others: 0 });
  });

  it.each([
    ['no hash', { ...farCall, requestHash: 'x' }],
    ['a hash of another sort', { ...farCall, requestHash: 7 }],
    ['a number that is none', { ...farCall, requestId: '12' }],
    ['a number below 1', { ...farTurn, turnId: 0 }],
    ['a time that is none', { ...farTurn, askedAtMs: 'yesterday' }],
    [
      'an input above 4,000 characters, which would be shown cut',
      { ...farCall, args: 'x'.repeat(4_001) },
    ],
    [
      'more unknown steps than can be shown',
      { ...farTurn, unknown: Array(21).fill(farTurn.unknown[0]) },
    ],
    ['nothing', null],
    ['a text', 'call'],
  ])('HO-03 an entry with %s is not shown, and counts', (_, bad) => {
    expect(travelled(list(bad, farCall))).toEqual({ asks: [farCall], hidden: 1, others: 0 });
  });

  it.each([
    ['a text', 'x'],
    ['a list', [farCall]],
    ['no list', { list: 'x', more: 0, others: 0 }],
    ['a number below 0', { list: [], more: -1, others: 0 }],
    ['a number that is none', { list: [], more: 0, others: '1' }],
    ['a number beyond all bounds', { list: [], more: 1e300, others: 0 }],
  ])('HO-03 %s is no list, and not an empty one', (_, bad) => {
    expect(travelled(bad)).toBeUndefined();
  });

  it('HO-03 texts of a host are bounded and inert: nothing in them steers what shows them, and what hides in an input shows', () => {
    const evil = '\u001b[2J\u202egnihton\r\n\u2028';
    const read = travelled(
      list({
        ...farCall,
        agent: `${evil}${'a'.repeat(1_000_000)}`,
        folder: evil,
        reason: evil,
        tool: evil,
        args: `{\n"command":"ls\u200b\u001b[2J\u202e"}`,
        goesTo: { address: evil, name: evil, more: 1 },
      }),
    );
    const [ask] = read?.asks ?? [];
    expect(JSON.stringify(ask)).not.toMatch(/[\u001b\u202e\u200b\u2028\r]|\\u001b|\\r/);
    expect(ask?.agent).toHaveLength(64);
    expect(ask).toMatchObject({ args: '{\n"command":"ls\ufffd\ufffd[2J\ufffd"}' });
  });

  it('HO-03 100,000 entries cost no more than the first of them', () => {
    const read = travelled(list(...Array.from({ length: 100_000 }, () => 0), farCall));
    expect(read).toEqual({ asks: [], hidden: 100_001, others: 0 });
    expect(travelled(list(...Array.from({ length: 60 }, () => farCall)))?.asks).toHaveLength(40);
  });
});
