import { describe, expect, it } from 'vitest';
import { readFarHits, readFarSessions } from '../../../shared/far-lists';
import { questionCommand } from '../../../shared/host-question';
import { hostHits, hostSessions } from '../../../shared/types';
import { farHit, farSession } from '../../helpers/far-asks';

describe('the sessions of a host, as they are read here', () => {
  it('HO-02 of a later version each known field is read, a state without a word here is left out, and more is passed over', () => {
    const later = { ...farSession, status: 'dreaming', mood: 'good' };
    const told = readFarSessions({ sessions: [farSession, later], hasMore: true, more: 1 });
    const { status: _, ...rest } = farSession;
    expect(told).toEqual({
      kind: 'told',
      sessions: [farSession, rest],
      hidden: 0,
      hasMore: true,
    });
    expect(hostSessions().safeParse(told).success).toBe(true);
  });

  it('HO-02 of an older version what is missing is nothing, and one entry that is not understood costs no other', () => {
    const { stopReason: _, pendingEvents: __, ...older } = farSession;
    const told = readFarSessions({ sessions: [older, { id: 'two' }, null] });
    expect(told).toEqual({
      kind: 'told',
      sessions: [{ ...older, stopReason: '', pendingEvents: 0 }],
      hidden: 2,
      hasMore: false,
    });
  });

  it('HO-02 a list under another name is not an empty one', () => {
    for (const told of [{ conversations: [] }, { sessions: 'many' }, [], null, 7])
      expect(readFarSessions(told)).toBeUndefined();
  });

  it('HO-03 at most 50 are taken, texts are cut and inert, whatever was sent', () => {
    const evil = { ...farSession, title: `a\u202eb\n${'x'.repeat(9_000)}`, key: '\u0000k' };
    const many = Array.from({ length: 3_000 }, () => evil);
    const told = readFarSessions({ sessions: many });
    expect(hostSessions().safeParse(told).success).toBe(true);
    expect(told).toMatchObject({ hasMore: true, hidden: 0 });
    const sessions = told?.kind === 'told' ? told.sessions : [];
    expect([sessions.length, sessions[0]?.key]).toEqual([50, 'k']);
    expect(sessions[0]?.title).toBe(`a b ${'x'.repeat(196)}`);
  });
});

describe('what a search on a host finds, as it is read here', () => {
  it('HO-02 of another version what is known is read, with what is missing counted', () => {
    const later = { ...farHit, part: 'dream', state: 'dreaming', mood: 'good' };
    const { part: _, state: __, ...rest } = farHit;
    const told = readFarHits({
      hits: [farHit, later, { part: 'prompt' }],
      nextBefore: 7,
      notIndexed: 2,
    });
    expect(told).toEqual({
      kind: 'told',
      hits: [farHit, rest],
      hidden: 1,
      hasMore: true,
      notIndexed: 2,
    });
    expect(hostHits().safeParse(told).success).toBe(true);
    expect(readFarHits({ hits: [farHit] })).toMatchObject({ hasMore: false, notIndexed: 0 });
    expect(readFarHits({ found: [] })).toBeUndefined();
  });

  it('HO-03 at most 50 hits are taken, inert', () => {
    const evil = { ...farHit, excerpt: `a\u202eb${'x'.repeat(9_000)}` };
    const told = readFarHits({ hits: Array.from({ length: 60 }, () => evil) });
    expect(hostHits().safeParse(told).success).toBe(true);
    expect(told).toMatchObject({ hasMore: true });
    expect(told?.kind === 'told' && [told.hits.length, told.hits[0]?.excerpt.slice(0, 3)]).toEqual([
      50,
      'a b',
    ]);
  });

  it('HO-02 no word and no filter can be an option of its own there', () => {
    expect(questionCommand({ kind: 'search', words: '--host evil' })).toEqual([
      'search',
      '--json',
      '--limit=50',
      '--',
      '--host evil',
    ]);
    expect(
      questionCommand({
        kind: 'search',
        words: 'a',
        agent: '--host=b',
        minCostUsd: 0.5,
        sinceMs: 0,
        state: 'failed',
      }),
    ).toEqual([
      'search',
      '--json',
      '--limit=50',
      '--agent=--host=b',
      '--state=failed',
      '--min-cost=0.5',
      '--since=1970-01-01T00:00:00.000Z',
      '--',
      'a',
    ]);
  });
});
