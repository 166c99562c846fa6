// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SessionsPage } from '../../renderer/session/sessions-page';
import { TurnPage } from '../../renderer/turn/turn-page';
import type { SessionStatus } from '../../shared/types/work';
import { sessionStatusOf } from '../helpers/session-status';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';

Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 630 },
  clientWidth: { configurable: true, get: () => 900 },
  offsetHeight: { configurable: true, get: () => 630 },
  offsetWidth: { configurable: true, get: () => 900 },
});

const TURN = 10;
const sessionOf = (seed: Seed): Seed['sessions'][number] => {
  const found = seed.sessions.find((one) => one.key === 'suppliers');
  if (!found) throw new Error('no session');
  return found;
};
/** A session whose turn failed twice and is tried again in 40 s. */
const withRetry =
  (extra: (seed: Seed) => Partial<SessionStatus> = () => ({})) =>
  (seed: Seed): void => {
    const session = sessionOf(seed);
    const dueAtMs = seed.nowMs + 40_000;
    seed.turns = seed.turns.map((turn) =>
      turn.id === TURN
        ? {
            ...turn,
            sessionId: session.id,
            sessionKey: session.key,
            state: 'waiting',
            reason: '',
            retry: { dueAtMs, streak: 2, lastError: 'The model server answered 529.' },
          }
        : turn,
    );
    const { retryPosture } = sessionStatusOf(session);
    seed.sessionStatus[session.id] = {
      retryPosture: {
        ...retryPosture,
        isRetrying: true,
        nextRetryAt: new Date(dueAtMs).toISOString(),
        streak: 2,
        lastError: 'The model server answered 529.',
      },
      ...extra(seed),
    };
  };

const sessionId = 7;
const page = <SessionsPage sessionId={sessionId} />;
const card = (): Promise<HTMLElement> => screen.findByRole('region', { name: 'Status' });
const factOf = (box: HTMLElement, name: string): string =>
  within(box).getAllByText(name)[0]?.nextElementSibling?.textContent?.replace(/\s+/g, ' ').trim() ??
  '';

describe('how a session stands', () => {
  it('S3-30 names seven things, also where there is nothing to say of them', async () => {
    const { container } = show(page, (seed) => {
      seed.work.activations = [];
      seed.turns = seed.turns.filter((turn) => turn.sessionId !== sessionOf(seed).id);
    });
    const box = await card();
    expect(factOf(box, 'Next retry')).toBe('nothing to retry');
    expect(factOf(box, 'Needs you')).toBe('nothing');
    expect(factOf(box, 'Next wake-up')).toBe('none scheduled');
    expect(factOf(box, 'Worker')).toBe('none');
    expect(factOf(box, 'Latest outcome')).toBe('none yet');
    expect(factOf(box, 'Drafts')).toBe('none staged');
    expect(within(box).getByText('No worker yet.')).toBeDefined();
    expect(within(box).queryByText('Goal')).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S3-30 S3-32 says who holds it, what waits, what is queued and what it is to reach', async () => {
    show(page, (seed) => {
      const at = (ms: number): string => new Date(seed.nowMs + ms).toISOString();
      seed.sessionStatus[sessionOf(seed).id] = {
        activeLease: {
          owner: 'mara-laptop:4711',
          claimId: 'c1',
          turnId: 7,
          attempt: 2,
          acquiredAt: at(-60_000),
          isAlive: false,
        },
        pendingRequests: [
          {
            requestId: 14,
            kind: 'approval',
            turnId: 7,
            tool: 'mail.send_email',
            hint: '',
            reason: '',
            input: '',
            requestedAt: at(-300_000),
            answerWith: [],
          },
        ],
        queuedWakeBacklog: [
          {
            wakeId: 'w1',
            dedupeKey: 'd',
            dueAt: at(600_000),
            note: 'look for the answer',
            priority: 'normal',
            queuedBy: 'Researcher',
          },
        ],
        stagedDrafts: { count: 2, drafts: [] },
        outcome: 'The cheapest supplier\nwith \u202eits price',
      };
      const said = seed.events[9]?.find(({ type }) => type === 'user.message');
      if (said === undefined) throw new Error('no message');
      seed.events[sessionId] = [
        { ...said, sessionId, type: 'user.define_outcome' },
        { ...said, sessionId, seq: said.seq + 1 },
      ];
    });
    const box = await card();
    expect(factOf(box, 'Goal')).toMatch(/^The cheapest supplier with .*its price$/);
    expect(factOf(box, 'Goal')).not.toContain('\u202e');
    expect(await screen.findAllByText('Session goal:')).toHaveLength(1);
    expect(factOf(box, 'Worker')).toContain('mara-laptop:4711');
    expect(factOf(box, 'Worker')).toContain('The next start resumes its work at once.');
    expect(factOf(box, 'Needs you')).toContain('approval: ');
    expect(
      within(box)
        .getByRole('link', { name: /^approval: / })
        .getAttribute('href'),
    ).toBe('#/decisions/item-14');
    expect(factOf(box, 'Next wake-up')).toContain('look for the answer');
    expect(factOf(box, 'Drafts')).not.toBe('none staged');
  });

  it('S3-22 lists who held what, when and how it ended, the newest first', async () => {
    const { user } = show(page);
    const box = await card();
    await user.click(within(box).getByText('Worker history'));
    const lines = within(box)
      .getAllByRole('listitem')
      .map((one) => one.textContent ?? '');
    expect(lines[0]).toMatch(/^Completed\d/);
    expect(lines.find((line) => line.includes('Interrupted'))).toContain('mara-laptop:4711');
    expect(lines.find((line) => line.includes('Queued for a retry'))).toContain(
      'The model server answered 529.',
    );
    expect(lines.filter((line) => line.includes('Started'))).toHaveLength(3);
    expect(lines.some((line) => line.includes('Ready to run'))).toBe(false);
  });

  it('S3-22 takes in what happens while it is shown', async () => {
    const { fake } = show(page);
    const box = await card();
    expect(factOf(box, 'Latest outcome')).toContain('Completed');
    const last = fake.seed.work.activations.at(-1);
    if (!last) throw new Error('no history');
    fake.seed.work.activations.push({
      ...last,
      seq: last.seq + 1,
      kind: 'blocked',
      blockedReason: 'held',
    });
    fake.emit('session.changed', { sessionId, seq: last.seq + 1 });
    await waitFor(() => expect(factOf(box, 'Latest outcome')).toContain('Needs review'));
  });

  it('S3-15 says when it is tried again, how often it failed and why, with the values in force', async () => {
    const { fake, user } = show(page, withRetry());
    const box = await card();
    const retry = factOf(box, 'Next retry');
    expect(retry).toMatch(/in (40|3\d) s/); // the clock goes on while the page is made
    expect(retry).toContain('2 attempts failed so far');
    expect(retry).toContain('The model server answered 529.');
    expect(retry).toContain('up to 30 s; 10 attempts in total.');
    await user.click(within(box).getByRole('button', { name: /^Try again now/ }));
    expect(fake.callsOf('turns.retryNow')).toEqual([{ turnId: TURN }]);
  });

  it('S3-15 shows the same on the page of the turn, and says why a try was refused', async () => {
    const { fake, user } = show(<TurnPage turnId={TURN} />, withRetry());
    expect(await screen.findByText('Waiting for a retry.')).toBeDefined();
    expect(screen.getByText(/2 attempts failed/)).toBeDefined();
    expect(screen.getByText('The model server answered 529.')).toBeDefined();
    fake.refuse('turns.retryNow', 'TURN_STATE', 'It is not waiting any more.');
    await user.click(screen.getByRole('button', { name: /^Try again now/ }));
    expect((await screen.findByRole('alert')).textContent).toContain('TURN_STATE');
    fake.allow('turns.retryNow');
    await user.click(screen.getByRole('button', { name: /^Try again now/ }));
    await waitFor(() =>
      expect(fake.seed.turns.find((one) => one.id === TURN)?.state).toBe('queued'),
    );
  });

  it('S3-15 offers the next try in the list of turns', async () => {
    const { fake, user } = show(<SessionsPage />, withRetry());
    await user.click(await screen.findByRole('radio', { name: 'Turns' }));
    await user.click(await screen.findByRole('button', { name: /^Try again now/ }));
    expect(fake.callsOf('turns.retryNow')).toEqual([{ turnId: TURN }]);
  });
});
