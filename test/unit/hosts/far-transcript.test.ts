import { describe, expect, it } from 'vitest';
import { createHostLists } from '../../../electron/engine/hosts/host-lists';
import type { FarTold } from '../../../electron/engine/hosts/plan-ask';
import {
  takeEarlier,
  takeNewest,
  type ReadTranscript,
} from '../../../renderer/hosts/far-transcript-view';
import { readFarTranscript, tellTranscript } from '../../../shared/far-transcript';
import { questionCommand, subjectOf } from '../../../shared/host-question';
import { hostTranscript, type FarEvent, type HostTranscript } from '../../../shared/types';
import type { SessionEvent } from '../../../shared/types';
import { farEvent, farSession } from '../../helpers/far-asks';

const said = (seq: number, more: Partial<SessionEvent> = {}): SessionEvent => ({
  seq,
  sessionId: 4,
  type: 'agent.message',
  atMs: seq,
  isPending: false,
  text: `Text ${String(seq)}`,
  isTruncated: false,
  ...more,
});
const view = { ...farSession, status: 'idle' as const, createdAtMs: 1 };
const seqs = (list: readonly { readonly seq: number }[]): readonly number[] =>
  list.map(({ seq }) => seq);
const page = (count: number, more: Partial<SessionEvent> = {}) => ({
  events: Array.from({ length: count }, (_, at) => said(at + 1, more)),
  hasMore: false,
});

describe('a conversation, as a host tells it', () => {
  it('HO-02 what a conversation shows is told, with the place of what was before; the rest of its log is not', () => {
    const events = [said(1, { type: 'session.child_created' }), said(2), said(3)];
    expect(tellTranscript(view, { events, hasMore: true })).toEqual({
      session: view,
      events: events.slice(1),
      nextBefore: 1,
    });
    expect(tellTranscript(view, { events, hasMore: false })).not.toHaveProperty('nextBefore');
  });

  it('HO-02 an answer is at most 60 entries, 8,000 characters a text and 300,000 in all; the newest are told first', () => {
    const many = tellTranscript(view, page(100));
    expect([many.events.length, many.events[0]?.seq, many.nextBefore]).toEqual([60, 41, 41]);
    const long = tellTranscript(view, page(60, { text: 'x'.repeat(20_000) }));
    expect(long.events.every(({ text, isTruncated }) => text.length === 8_000 && isTruncated)).toBe(
      true,
    );
    expect(JSON.stringify(long.events).length).toBeLessThanOrEqual(300_000);
    expect(long.events.at(-1)?.seq).toBe(60);
    expect(long.events.length).toBeGreaterThan(30);
    expect(long.nextBefore).toBe(long.events[0]?.seq);
    // Each character of this one takes six on the wire.
    const odd = tellTranscript(view, page(60, { text: '\u0001'.repeat(20_000) }));
    expect(JSON.stringify(odd).length).toBeLessThan(400_000);
    expect(odd.events.length).toBeGreaterThan(0);
  });
});

describe('a conversation of a host, as it is read here', () => {
  const told = (events: readonly unknown[], more: object = {}) =>
    readFarTranscript({ session: farSession, events, ...more }, 4);

  it('HO-02 what is told is read; of a later version what is not known is passed over or counted', () => {
    const later = { ...farEvent, seq: 41, purity: 'dream', stepState: 'dreaming', mood: 'good' };
    const { purity: _, stepState: __, ...rest } = farEvent;
    const read = told([farEvent, later, { ...farEvent, type: 'agent.sigh' }, null], {
      nextBefore: 40,
      mood: 1,
    });
    expect(read).toEqual({
      kind: 'told',
      session: farSession,
      events: [farEvent, { ...rest, seq: 41 }],
      hidden: 2,
      nextBefore: 40,
    });
    expect(hostTranscript().safeParse(read).success).toBe(true);
  });

  it('HO-03 at most 60 are taken, in order and each once, with texts of 8,000 characters, whatever was sent', () => {
    const evil = Array.from({ length: 3_000 }, (_, at) => ({
      ...farEvent,
      seq: 3_000 - (at % 100),
      sessionId: 'other',
      text: 'x'.repeat(9_000),
      tool: `a\u202eb${'x'.repeat(900)}`,
    }));
    const read = told(evil);
    expect(hostTranscript().safeParse(read).success).toBe(true);
    const events = read?.kind === 'told' ? read.events : [];
    expect([events.length, events[0]?.seq, events.at(-1)?.seq]).toEqual([60, 2_941, 3_000]);
    expect(events[0]).toMatchObject({ sessionId: 4, isTruncated: true });
    expect([events[0]?.text.length, events[0]?.tool?.slice(0, 3)]).toEqual([8_000, 'a b']);
    expect(read).toMatchObject({ nextBefore: 2_941 });
  });

  it('HO-02 what is no conversation, or that of another session, is none', () => {
    const other = { session: { ...farSession, id: 5 }, events: [] };
    for (const value of [{ session: farSession }, { events: [] }, other, [], null, 7])
      expect(readFarTranscript(value, 4)).toBeUndefined();
  });
});

describe('asking a host for a conversation', () => {
  const ask = (told: FarTold) => {
    const asked: (readonly [string, readonly string[]])[] = [];
    const lists = createHostLists({
      ask(_host, question) {
        asked.push([subjectOf(question), questionCommand(question)]);
        return Promise.resolve(told);
      },
    });
    return { asked, lists };
  };

  it('HO-02 the newest part and the one before are two questions, and neither ends the other', async () => {
    const { asked, lists } = ask({ kind: 'told', value: { session: farSession, events: [] } });
    expect(await lists.transcript('box', { sessionId: 4 })).toMatchObject({ kind: 'told' });
    await lists.transcript('box', { sessionId: 4, beforeSeq: 40 });
    expect(asked).toEqual([
      ['transcript', ['hosts', 'transcript', '4', '--json']],
      ['transcript before', ['hosts', 'transcript', '4', '--before=40', '--json']],
    ]);
  });

  it('HO-02 a version that has no such command is an older one; any other refusal is its own sentence', async () => {
    const refused = (code: string) =>
      ask({ kind: 'untold', why: 'It says so.', code }).lists.transcript('box', { sessionId: 4 });
    expect(await refused('INPUT_INVALID')).toEqual({ kind: 'older' });
    expect(await refused('SESSION_UNKNOWN')).toEqual({ kind: 'untold', why: 'It says so.' });
    const { lists } = ask({ kind: 'told', value: { conversation: [] } });
    expect(await lists.transcript('box', { sessionId: 4 })).toEqual({
      kind: 'untold',
      why: 'box runs a version of Holdfast that is not compatible with this one.',
    });
  });
});

describe('what was read of a conversation', () => {
  const part = (from: number, to: number, more: object = {}) =>
    ({
      kind: 'told',
      session: farSession,
      events: Array.from({ length: to - from + 1 }, (_, at) => said(from + at) as FarEvent),
      hidden: 0,
      ...more,
    }) as Extract<HostTranscript, { kind: 'told' }>;
  const place = (read: ReadTranscript) => [
    seqs(read.events)[0],
    seqs(read.events).at(-1),
    read.nextBefore,
  ];

  it('HO-02 earlier parts are put in front, newer ones behind, and the place of what was before is kept', () => {
    let read = takeNewest(undefined, part(20, 30, { nextBefore: 20, hidden: 1 }));
    read = takeEarlier(read, part(10, 19, { nextBefore: 10, hidden: 2 }));
    expect([...place(read), read.hidden + read.hiddenBefore]).toEqual([10, 30, 10, 3]);
    read = takeNewest(read, part(25, 35, { nextBefore: 25, hidden: 1 }));
    expect([...place(read), read.hidden + read.hiddenBefore]).toEqual([10, 35, 10, 3]);
    expect(seqs(read.events)).toEqual(Array.from({ length: 26 }, (_, at) => 10 + at));
    read = takeEarlier(read, part(1, 9));
    expect(place(read)).toEqual([1, 35, undefined]);
    read = takeNewest(read, part(30, 36, { nextBefore: 30 }));
    expect(place(read)).toEqual([1, 36, undefined]);
  });

  it('HO-02 a newest part that does not touch what was read takes its place: no gap stands there unseen', () => {
    const before = takeNewest(undefined, part(1, 9, { hidden: 4 }));
    const read = takeNewest(before, part(20, 30, { nextBefore: 20 }));
    expect([...place(read), read.hidden + read.hiddenBefore]).toEqual([20, 30, 20, 0]);
  });
});
