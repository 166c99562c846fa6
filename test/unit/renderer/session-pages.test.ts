import { describe, expect, it } from 'vitest';
import {
  joinOlderSessions,
  NO_SESSIONS,
  putSession,
  takeNewestSessions,
  type HeldSessions,
} from '../../../renderer/session/use-session-pages';
import type { SessionView } from '../../../shared/types';

/** `id@time`, newest first. */
const held = (list: string, hasMore = false): HeldSessions => ({
  hasMore,
  sessions: list
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const [id, at] = one.split('@').map(Number);
      return { id, lastEventAtMs: at, status: 'idle' } as SessionView;
    }),
});
const shown = ({ sessions, hasMore }: HeldSessions): string =>
  `${sessions.map((one) => one.id).join(' ')}${hasMore ? ' …' : ''}`;

describe('pages of sessions', () => {
  it.each([
    ['the first page', '', '9@90 8@80', true, '9 8 …'],
    [
      'one from below that was used again, once',
      '9@90 8@80 7@70 6@60 …',
      '7@95 9@90',
      true,
      '7 9 8 6 …',
    ],
    ['a new one on top', '9@90 8@80 7@70 …', '10@99 9@90', true, '10 9 8 7 …'],
    [
      'a page with a hole to what is held: that goes',
      '9@90 8@80 …',
      '20@200 19@190',
      true,
      '20 19 …',
    ],
    ['two of the same moment, by their numbers', '9@90 8@90 7@70 …', '9@90 8@90', true, '9 8 7 …'],
    ['all there are', '9@90 8@80 7@70', '9@90 8@80', false, '9 8'],
  ])('takes in %s', (_what, before, page, hasMore, after) => {
    const known =
      before === '' ? NO_SESSIONS : held(before.replace(' …', ''), before.endsWith('…'));
    expect(shown(takeNewestSessions(known, held(page, hasMore)))).toBe(after);
  });

  it('puts an older page below, without those it has', () => {
    expect(shown(joinOlderSessions(held('9@90 8@80', true), held('8@80 7@70', true)))).toBe(
      '9 8 7 …',
    );
  });

  it('changes a session where it stands, and takes in none that is not held', () => {
    const running = { ...held('8@80').sessions[0], status: 'running' } as SessionView;
    const after = putSession(held('9@90 8@80', true), running);
    expect([shown(after), after.sessions[1]?.status]).toEqual(['9 8 …', 'running']);
    expect(putSession(held('9@90'), running).sessions).toHaveLength(1);
  });
});
