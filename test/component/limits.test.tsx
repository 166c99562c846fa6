// @vitest-environment happy-dom
/** A turn that waits for a usage limit, on Home and in its session; the warning before a limit. */
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { calmOutside, fakeHealth, outsideStatus } from '../helpers/fake-outages';
import type { HeldItem } from '../../shared/types/outage';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';

const HOUR = 3_600_000;
const SESSION = 9;

function limited(seed: Seed): void {
  const { nowMs } = seed;
  const untilMs = nowMs + 2 * HOUR;
  const outside = calmOutside(nowMs);
  const session = seed.sessions.find(({ id }) => id === SESSION);
  const turn = seed.turns.find(({ sessionId }) => sessionId === SESSION);
  if (session === undefined || turn === undefined) throw new Error('no such session in the seed');
  seed.turns = seed.turns.map((one) => (one === turn ? { ...one, state: 'waiting' } : one));
  const held: HeldItem = {
    position: 1,
    turnId: turn.id,
    sessionId: SESSION,
    sessionKey: session.key,
    provider: 'agent.claude',
    agent: 'claude',
    channel: 'window',
    source: 'user',
    promptStart: 'Draft the offer',
    cause: 'quota',
    untilMs,
    sinceMs: nowMs - HOUR,
    keptSteps: 2,
    merged: 0,
    isCanary: false,
  };
  outside.held = [held];
  outside.providers.push(
    fakeHealth({
      provider: 'agent.claude',
      state: 'quota',
      quotaUntilMs: untilMs,
      nextTryAtMs: untilMs,
      waiting: 1,
      sentence: 'Agent claude: 1 turn continues.',
    }),
  );
  seed.outside = outside;
  seed.status = {
    ...seed.status,
    outside: outsideStatus(outside),
    limits: [
      {
        provider: 'agent.codex',
        window: 'weekly',
        usedPercent: 86,
        isWarning: true,
        sentence: 'Agent codex: 86% of the weekly limit is used; it resets at Mon 09:00.',
      },
      {
        provider: 'agent.other',
        window: 'session',
        usedPercent: 20,
        isWarning: false,
        sentence: 'Calm.',
      },
    ],
  };
}

describe('a turn at its usage limit', () => {
  it.each([
    ['Home', '#/', { name: 'Waiting' }],
    ['its session', `#/sessions/${String(SESSION)}`, undefined],
  ] as const)(
    'LM-10 %s says when it continues and has Continue now, Not automatically and Cancel for it alone',
    async (_where, hash, region) => {
      window.location.hash = hash;
      const { container, fake, user } = show(<RecoveryWindow />, limited);
      const now = await screen.findByRole('button', { name: 'Continue now: Draft the offer' });
      const card = now.closest('li') ?? container;
      const place = region === undefined ? card : screen.getByRole('region', region);
      expect(place.textContent).toMatch(/continues at \d+:3\d(?: PM)? \(in (?:2 h|1 h 59 min)\)/);
      const turnId = fake.seed.outside.held[0]?.turnId ?? 0;
      expect(within(card).getByRole('button', { name: /^Cancel turn: / })).toBeTruthy();
      expect(await axeFindings(container)).toEqual([]);
      await user.click(
        within(card).getByRole('button', {
          name: 'Do not continue automatically: Draft the offer',
        }),
      );
      expect(fake.callsOf('outage.hold')).toEqual([{ turnId }]);
      expect(fake.callsOf('outage.now')).toEqual([]);
    },
  );

  it('LM-10 "Continue now" on Home asks for that turn alone', async () => {
    window.location.hash = '#/';
    const { fake, user } = show(<RecoveryWindow />, limited);
    const turnId = fake.seed.outside.held[0]?.turnId ?? 0;
    await user.click(await screen.findByRole('button', { name: 'Continue now: Draft the offer' }));
    expect(fake.callsOf('outage.now')).toEqual([{ turnId }]);
  });

  it('LM-09 Home warns of a limit that is nearly reached, and of no other', async () => {
    window.location.hash = '#/';
    show(<RecoveryWindow />, limited);
    const [warning, ...others] = await screen.findAllByRole('region', { name: 'Usage limit' });
    expect(warning?.textContent).toBe(
      'Agent codex: 86% of the weekly limit is used; it resets at Mon 09:00.',
    );
    expect(others).toEqual([]);
  });
});
