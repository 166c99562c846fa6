// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { PRACTICE_SESSION } from '../../shared/practice';
import type { Seed } from '../helpers/fake-seed-type';
import { createCalmSeed } from '../helpers/fake-seed';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = (hash: string, change?: (seed: Seed) => void): Shown => {
  window.localStorage.removeItem('holdfast.steps');
  window.location.hash = hash;
  return show(<RecoveryWindow />, change);
};
const calm = (seed: Seed): void => void Object.assign(seed, createCalmSeed(seed.nowMs));
const fresh = (seed: Seed): void => {
  seed.config.entries = seed.config.entries.map((entry) =>
    entry.key === 'app.first_start_done'
      ? { ...entry, value: false }
      : entry.key === 'resilience.recovery.side_effect_tools'
        ? { ...entry, value: [] }
        : entry,
  );
};

describe('Home', () => {
  it('says first what needs a person, with the counts of the snapshot', async () => {
    open('#/');
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Six things need you' }),
    ).toBeTruthy();
    expect(
      screen.getByText(
        'Two turns are running, one is waiting. 218 completed steps were reused today instead of run again.',
      ),
    ).toBeTruthy();
    expect(screen.getByText('6 things need you')).toBeTruthy();
  });

  it('offers Stop on every running and waiting row and stops exactly that turn', async () => {
    const { fake, user } = open('#/');
    const running = await screen.findByRole('region', { name: 'Running' });
    expect(within(running).getAllByRole('button', { name: /^Cancel turn/ })).toHaveLength(2);
    await user.click(within(running).getByRole('button', { name: 'Cancel turn: Changelog draft' }));
    await waitFor(() => expect(fake.callsOf('turns.cancel')).toEqual([{ turnId: 8 }]));
  });

  it('lists a turn at its limit once: under "Needs you", not under "Waiting"', async () => {
    open('#/');
    const waiting = await screen.findByRole('region', { name: 'Waiting' });
    expect(within(waiting).queryByText('Read all open issues and group them')).toBeNull();
    expect(within(waiting).getByText('Sum up the week')).toBeTruthy();
  });

  it('S0-30 tells of the restart with its reason and dismisses it by its inbox id', async () => {
    const { fake, user } = open('#/');
    const note = await screen.findByRole('region', { name: 'Restart' });
    expect(note.textContent).toContain(
      'power loss, down at most 4 min 13 s. 3 turns resumed, 1 needs review.',
    );
    await user.click(within(note).getByRole('button', { name: 'Dismiss this notice' }));
    await waitFor(() => expect(fake.callsOf('inbox.dismiss')).toEqual([{ inboxId: 10 }]));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Restart' })).toBeNull());
  });

  it('S0-30 no longer says that a turn needs review once it has been decided, and says when', async () => {
    open('#/', (seed) => {
      seed.decisions = seed.decisions.filter(({ turnId }) => turnId !== 6);
      seed.inbox = seed.inbox.map((item) =>
        item.turnId === 6
          ? {
              ...item,
              settledAtMs: new Date(seed.nowMs).setHours(14, 17, 0, 0),
              outcome: 'marked as done',
            }
          : item,
      );
    });
    const note = await screen.findByRole('region', { name: 'Restart' });
    await waitFor(() => expect(note.textContent).toContain('3 turns resumed, 1 decided 2:17 PM.'));
    expect(note.textContent).not.toContain('needs review');
  });

  it('S0-30 "See what happened" is a page: the stop, each turn with its strip, what was decided, its end', async () => {
    const { user, container } = open('#/', (seed) => {
      seed.decisions = seed.decisions.filter(({ turnId }) => turnId !== 6);
      seed.inbox = seed.inbox.map((item) =>
        item.turnId === 6
          ? {
              ...item,
              settledAtMs: new Date(seed.nowMs).setHours(14, 17, 0, 0),
              outcome: 'marked as done',
            }
          : item,
      );
      seed.lastStart = [
        ...seed.lastStart,
        { turnId: 7, action: 'hold', reason: 'send_email had started', atMs: seed.nowMs - 1000 },
      ];
    });
    await user.click(await screen.findByRole('link', { name: 'See what happened' }));
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Restarted after a crash' }),
    ).toBeTruthy();
    const turns = await screen.findByRole('region', { name: 'Turns that were interrupted' });
    expect(await within(turns).findByText('Decided 2:17 PM: marked as done')).toBeTruthy();
    expect(
      await within(turns).findByText(
        'At the restart: needs your review (archive_mail had started and is on your list).',
      ),
    ).toBeTruthy();
    expect(
      await within(turns).findByRole('img', {
        name: '8 steps, 3 reused, 1 with an unknown outcome, 1 interruption',
      }),
    ).toBeTruthy();
    expect(within(turns).getAllByRole('listitem').length).toBeGreaterThan(3);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('lists drafts to review and answers not read yet as "For you", and a read one no longer', async () => {
    window.localStorage.setItem(
      'holdfast.seen',
      JSON.stringify({ sinceMs: Date.now() - 86_400_000, sessions: {} }),
    );
    const { user } = open('#/', (seed) => {
      const [done] = seed.turns.filter(({ state }) => state === 'completed');
      if (done !== undefined) {
        seed.turns = [{ ...done, endedAtMs: seed.nowMs - 60_000, promptStart: 'Sum up the notes' }];
        seed.answers[done.id] = '## Notes\n\nThree of **four** are done. The last waits.';
      }
    });
    const list = await screen.findByRole('region', { name: 'For you' });
    expect(await within(list).findByText(/drafts? to review/)).toBeTruthy();
    expect(await within(list).findByText('Sum up the notes')).toBeTruthy();
    expect(list.textContent).toContain('Notes: Three of four are done');
    expect(screen.queryByRole('region', { name: 'Recent' })).toBeNull();
    await user.click(within(list).getByRole('button', { name: 'Mark all as read' }));
    const recent = await screen.findByRole('region', { name: 'Recent' });
    expect(within(recent).getByText('Sum up the notes')).toBeTruthy();
    expect(
      within(screen.getByRole('region', { name: 'For you' })).queryByText('Sum up the notes'),
    ).toBeNull();
    window.localStorage.removeItem('holdfast.seen');
  });

  it('an answer that was on the screen in its session is no news on Home', async () => {
    window.localStorage.setItem(
      'holdfast.seen',
      JSON.stringify({ sinceMs: Date.now() - 86_400_000, sessions: {} }),
    );
    const seedOne = (seed: Seed): void => {
      seed.drafts = [];
      const [done] = seed.turns.filter(({ state }) => state === 'completed');
      if (done !== undefined)
        seed.turns = [{ ...done, sessionId: 9, endedAtMs: seed.nowMs - 60_000 }];
    };
    open('#/', seedOne);
    const link = within(await screen.findByRole('region', { name: 'For you' })).getByRole('link', {
      name: /^Read the answer/,
    });
    const href = link.getAttribute('href') ?? '';
    cleanup();
    open(href, seedOne);
    await waitFor(() =>
      expect(window.localStorage.getItem('holdfast.seen')).toContain(
        `"${href.split('/').at(-1) ?? ''}"`,
      ),
    );
    cleanup();
    open('#/', seedOne);
    await screen.findByRole('region', { name: 'Recent' });
    expect(screen.queryByRole('region', { name: 'For you' })).toBeNull();
    window.localStorage.removeItem('holdfast.seen');
  });

  it('never says "All quiet." above a connection that is down or something left for later', async () => {
    open('#/', (seed) => {
      calm(seed);
      seed.inbox = [
        { id: 77, kind: 'problem', title: 'Missed: Digest', detail: '', createdAtMs: seed.nowMs },
      ];
    });
    expect(
      await screen.findByRole('heading', {
        level: 1,
        name: 'Nothing needs you now. 1 thing for when you have time.',
      }),
    ).toBeTruthy();
    expect(screen.queryByText(/All quiet/)).toBeNull();
  });

  it.each([
    [0, false],
    [3.86, true],
  ])(
    'with %d USD saved a sum is named: %s; where no price is known there is none',
    async (usd, isSaid) => {
      open('#/', (seed) => {
        seed.status.kept.savedUsdToday = usd;
      });
      const kept = await screen.findByText('completed steps reused');
      expect(kept.closest('.card')?.textContent.includes('not billed again')).toBe(isSaid);
    },
  );

  it('is quiet when well: a sentence and a box to ask an agent', async () => {
    const { fake, user } = open('#/', calm);
    expect(await screen.findByRole('heading', { level: 1, name: 'All quiet.' })).toBeTruthy();
    const box = await screen.findByRole('textbox', { name: 'Ask an agent…' });
    await user.type(box, 'hello{Control>}{Enter}{/Control}');
    await waitFor(() =>
      expect(fake.callsOf('send')).toEqual([
        expect.objectContaining({ text: 'hello', agent: 'practice' }),
      ]),
    );
  });

  it('S0-02 a problem of config.json is shown with a button that opens Settings, which shows the line and the file', async () => {
    const { fake, user } = open('#/', (seed) => {
      calm(seed);
      const message = 'config.json, line 14: "soon" is not a duration.';
      seed.status.configProblems = [{ line: 14, message }];
      seed.status.tray = 'degraded';
    });
    await screen.findByRole('heading', { level: 1, name: 'config.json has a problem' });
    await user.click(screen.getByRole('button', { name: 'Open settings' }));
    await waitFor(() => expect(fake.callsOf('app.openSettings')).toEqual([{}]));
  });

  it('keeps the text in the box when the message was refused', async () => {
    const { fake, user } = open('#/', calm);
    fake.refuse('send', 'DISK_FULL', 'The disk is full.', 'Free some space.');
    const box = await screen.findByRole('textbox', { name: 'Ask an agent…' });
    await user.type(box, 'hello{Control>}{Enter}{/Control}');
    await screen.findByRole('alert');
    expect((box as HTMLTextAreaElement).value).toBe('hello');
  });

  it('follows the snapshot that an event carries, without asking again', async () => {
    const { fake } = open('#/', calm);
    await screen.findByRole('heading', { level: 1, name: 'All quiet.' });
    const asked = fake.callsOf('status.get').length;
    act(() =>
      fake.emit('status.changed', {
        ...fake.seed.status,
        tray: 'working',
        counts: { ...fake.seed.status.counts, running: 1 },
      }),
    );
    expect(
      await screen.findByRole('heading', { level: 1, name: 'One turn is running.' }),
    ).toBeTruthy();
    expect(fake.callsOf('status.get')).toHaveLength(asked);
  });

  it('changes pages with 1 to 4, but not while somebody types', async () => {
    const { user } = open('#/', calm);
    const box = await screen.findByRole('textbox', { name: 'Ask an agent…' });
    await user.type(box, '2');
    expect(window.location.hash).toBe('#/');
    await user.click(screen.getByRole('heading', { level: 1 }));
    await user.keyboard('2');
    await waitFor(() => expect(window.location.hash).toBe('#/decisions'));
  });

  it('D1 goes where main says, and only to its own pages', async () => {
    const { fake } = open('#/');
    await screen.findByRole('heading', { level: 1 });
    act(() => fake.emit('navigate', { route: '/turns/7' }));
    await waitFor(() => expect(window.location.hash).toBe('#/turns/7'));
    act(() => fake.emit('navigate', { route: 'https://example.org/' }));
    await waitFor(() => expect(window.location.hash).toBe('#/'));
  });
});

describe('Turn', () => {
  it('S4-+02 shows what became of each step, stops as rows of their own', async () => {
    const { user } = open('#/turns/7');
    await user.click(await screen.findByRole('button', { name: 'As a table' }));
    const table = await screen.findByRole('table', { name: 'Steps of this turn' });
    const rows = within(table)
      .getAllByRole('row')
      .map((row) => row.textContent ?? '');
    expect(rows).toHaveLength(10);
    expect(rows[1]).toContain('reused');
    expect(rows[5]).toContain('Stopped');
    expect(rows[5]).toContain('down 4 min 13 s');
    expect(rows[6]).toContain('re-read, same result');
    expect(rows[9]).toContain('outcome unknown');
    expect(screen.getByText('$0.17 saved')).toBeTruthy();
  });

  it('S4-24 flags a possible duplicate at its step', async () => {
    open('#/turns/7', (seed) => {
      const steps = seed.steps[7] ?? [];
      seed.steps[7] = steps.map((step) =>
        step.index === 7 ? { ...step, duplicateRisk: true } : step,
      );
    });
    expect(await screen.findByText('possible duplicate')).toBeTruthy();
  });

  it('S4-23 shows a call that ran again after a crash: 2 runs, 1 key', async () => {
    const key = 'hf-7-8-0001';
    const { user } = open('#/turns/7', (seed) => {
      const steps = seed.steps[7] ?? [];
      seed.steps[7] = steps.map((step) =>
        step.index === 7
          ? { ...step, idempotencyKey: key, fate: 'run_again', duplicateRisk: true }
          : step,
      );
    });
    await user.click(await screen.findByRole('row', { name: /anna\.berg/ }));
    const pane = await screen.findByRole('region', { name: 'Step 7' });
    expect(within(pane).getByText('Attempt').nextElementSibling?.textContent).toBe('2');
    expect(within(pane).getByText(key)).toBeTruthy();
    expect(within(pane).getAllByText('re-run').length).toBeGreaterThan(0);
    expect(within(pane).getByText('possible duplicate')).toBeTruthy();
  });

  it('S4-25 says of a step that was skipped that you skipped it, with the result that the turn was given, and never that it was done', async () => {
    const marker = '(skipped by the user: this step has an empty result)';
    const { user } = open('#/turns/7', (seed) => {
      const steps = seed.steps[7] ?? [];
      seed.steps[7] = steps.map((step) =>
        step.index === 8
          ? {
              ...step,
              state: 'skipped',
              fate: 'skipped_by_you',
              endedAtMs: step.startedAtMs + 1,
              result: marker,
            }
          : step,
      );
    });
    await user.click(await screen.findByRole('button', { name: 'As a table' }));
    const table = await screen.findByRole('table', { name: 'Steps of this turn' });
    const last = within(table).getAllByRole('row').at(-1)?.textContent ?? '';
    expect(last).toContain('skipped by you');
    expect(last).not.toContain('done');
    await user.click(await screen.findByRole('button', { name: 'As a timeline' }));
    await user.click(await screen.findByRole('row', { name: /t\.okafor/ }));
    const pane = await screen.findByRole('region', { name: 'Step 8' });
    expect(within(pane).getByText('skipped by you')).toBeTruthy();
    // Neither reused nor ever made: no count of it.
    expect(within(pane).queryByText('Reused')).toBeNull();
    expect((await within(pane).findByRole('region', { name: 'Result' })).textContent).toBe(marker);
  });

  it('opens a step with its input as inert text', async () => {
    const { user, container } = open('#/turns/7', (seed) => {
      const steps = seed.steps[7] ?? [];
      seed.steps[7] = steps.map((step) =>
        step.index === 8 ? { ...step, args: '<b>x</b>', result: '[a](javascript:alert(1))' } : step,
      );
    });
    await user.click(await screen.findByRole('row', { name: /t\.okafor/ }));
    expect((await screen.findByRole('region', { name: 'Input' })).textContent).toBe('<b>x</b>');
    expect(container.querySelector('a[href^="javascript"]')).toBeNull();
  });

  it('has Stop while the turn is not over', async () => {
    open('#/turns/7');
    expect(await screen.findByRole('button', { name: /^Cancel turn: Compare/ })).toBeTruthy();
  });

  it('has no Stop on a finished turn', async () => {
    open('#/turns/1');
    await screen.findByRole('heading', { level: 1, name: 'Price watch' });
    expect(screen.queryByRole('button', { name: /^Cancel turn/ })).toBeNull();
  });

  it('keeps 5,000 steps out of the page: fewer than 100 rows are drawn', async () => {
    open('#/turns/1', (seed) => {
      const step = seed.steps[7]?.[0];
      if (step)
        seed.steps[1] = Array.from({ length: 5000 }, (_, at) => ({
          ...step,
          turnId: 1,
          index: at + 1,
        }));
    });
    const table = await screen.findByRole('table', { name: 'Steps of this turn' });
    expect(table.getAttribute('aria-rowcount')).toBe('5001');
    expect(within(table).getAllByRole('row').length).toBeLessThan(100);
  });
});

describe('Session', () => {
  it('marks own messages as on disk and shows tool calls between the texts', async () => {
    open('#/sessions/9');
    expect(await screen.findByText('saved')).toBeTruthy();
    const tools = await screen.findByRole('list', { name: 'Tool calls' });
    expect(within(tools).getAllByRole('listitem')).toHaveLength(4);
  });

  it('streams provisional text, reads out finished sentences, withdraws it when it is cut', async () => {
    const { fake } = open('#/sessions/9');
    await screen.findByText('saved');
    await screen.findByRole('button', { name: /^Cancel turn/ });
    act(() =>
      fake.emit('turn.delta', { turnId: 9, text: 'Two runs failed. The rest', isWithdrawn: false }),
    );
    expect(await screen.findByText(/being written, not saved yet/)).toBeTruthy();
    const live = document.querySelector('main [aria-live="polite"].sr-only');
    expect(live?.textContent).toBe('Two runs failed.');
    act(() => fake.emit('turn.delta', { turnId: 9, text: '', isWithdrawn: true }));
    await waitFor(() => expect(screen.queryByText(/being written/)).toBeNull());
  });

  it('ignores text of a turn of another session', async () => {
    const { fake } = open('#/sessions/9');
    await screen.findByRole('button', { name: /^Cancel turn/ });
    act(() => fake.emit('turn.delta', { turnId: 8, text: 'not mine', isWithdrawn: false }));
    expect(screen.queryByText('not mine')).toBeNull();
  });

  it('sends into this session; while a turn runs the button says after it', async () => {
    const { fake, user } = open('#/sessions/9');
    const box = await screen.findByRole('textbox', {
      name: 'Add a prompt. It runs after this turn.',
    });
    await user.type(box, 'and then?');
    await user.click(screen.getByRole('button', { name: 'Send after this turn' }));
    await waitFor(() =>
      expect(fake.callsOf('send')).toEqual([
        expect.objectContaining({ text: 'and then?', agent: 'Researcher', session: 'reading' }),
      ]),
    );
  });

  it('Esc twice stops the turn of the session, Esc once does not', async () => {
    const { fake, user } = open('#/sessions/9');
    await screen.findByRole('button', { name: /^Cancel turn/ });
    await user.keyboard('{Escape}');
    expect(fake.callsOf('session.interrupt')).toEqual([]);
    await user.keyboard('{Escape}');
    await waitFor(() =>
      expect(fake.callsOf('session.interrupt')).toEqual([{ session: 'reading' }]),
    );
  });

  it('starts a new session before its first message, not the shared one of the agent', async () => {
    const { fake, user } = open('#/sessions');
    const box = await screen.findByRole('textbox', { name: /Start a new session/ });
    await user.type(box, 'Count the files');
    await user.click(screen.getByRole('button', { name: 'Start' }));
    await waitFor(() => expect(fake.callsOf('send')).toHaveLength(1));
    expect(fake.callsOf('session.create')).toEqual([
      { agent: 'practice', title: 'Count the files' },
    ]);
    expect(fake.callsOf('send')[0]).toMatchObject({ session: 'practice-10', agent: 'practice' });
  });
});

describe('Agents', () => {
  it('S4-32 says how exact recovery is, what is wrong, and each tool with its class', async () => {
    const { user } = open('#/agents');
    expect(
      (await screen.findAllByText('A script, not an AI. No key, no network.')).length,
    ).toBeGreaterThan(0);
    await user.click(await screen.findByRole('button', { name: /Researcher/ }));
    const pane = screen.getByRole('article', { name: 'Agent details' });
    expect(within(pane).getByText(/never runs a completed action again/)).toBeTruthy();
    const row = screen.getByText('send_email').closest('tr') as HTMLElement;
    expect(row.textContent).toContain('external');
    expect(row.textContent).toContain('needs your review');
    await user.click(screen.getByRole('button', { name: /Repo mender/ }));
    expect(within(pane).queryByText('send_email')).toBeNull();
    expect(screen.getAllByText(/does not exist/)).toHaveLength(2);
  });
});

describe('First start', () => {
  it('opens by itself once, asks about login without a preselection, and no answer writes nothing', async () => {
    const { fake, user } = open('#/', fresh);
    await screen.findByRole('heading', { name: 'Holdfast keeps running' });
    for (const radio of screen.getAllByRole('radio'))
      expect(radio.getAttribute('aria-checked')).toBe('false');
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await screen.findByRole('heading', { name: 'Your agents' });
    expect(fake.callsOf('config.set')).toEqual([]);
  });

  it('S0-37 preselects safe_only and the proposed tools, and writes them on Continue', async () => {
    const { fake, user } = open('#/welcome', fresh);
    await user.click(await screen.findByRole('button', { name: /Recovery/ }));
    const modes = await screen.findAllByRole('radio');
    await waitFor(() => expect(modes[0]?.getAttribute('aria-checked')).toBe('true'));
    await screen.findByRole('switch', { name: 'Pause for review after a crash: shell:effects' });
    await user.click(
      screen.getByRole('switch', { name: 'Pause for review after a crash: archive_mail' }),
    );
    await user.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([
        { key: 'resilience.recovery.side_effect_tools', value: ['shell:effects', 'send_email'] },
      ]),
    );
  });

  it('leads to the practice task first, starts it, kills the engine only on the button, and can stop what runs', async () => {
    const { fake, user } = open('#/welcome', fresh);
    await user.click(await screen.findByRole('button', { name: /Try it/ }));
    const kill = await screen.findByRole('button', { name: 'Kill me now' });
    expect(kill.getAttribute('aria-disabled')).toBe('true');
    await user.click(kill);
    // What is to be pressed is called by its name, and nothing else is filled before it.
    expect(screen.getByText(/^Press “Start task”\./)).toBeTruthy();
    const finish = screen.getByRole('button', { name: 'Finish' });
    expect(finish.dataset['variant']).toBe('default');
    await user.click(screen.getByRole('button', { name: 'Start task' }));
    await screen.findByRole('heading', { name: 'It is working. Kill it now.' });
    expect(finish.dataset['variant']).toBe('filled');
    expect(fake.callsOf('send')).toMatchObject([{ agent: 'practice', session: PRACTICE_SESSION }]);
    expect(fake.callsOf('practice.kill')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Kill me now' }));
    await waitFor(() => expect(fake.callsOf('practice.kill')).toEqual([{}]));
    await user.click(screen.getByRole('button', { name: 'Cancel turn: Demo' }));
    const { turns } = fake.seed;
    await waitFor(() =>
      expect(fake.callsOf('turns.cancel')).toEqual([{ turnId: turns.at(-1)?.id }]),
    );
  });

  it('S0-17 plays a provider that is down for 30 s on one press, and says how long still', async () => {
    const { fake, user } = open('#/welcome', fresh);
    await user.click(await screen.findByRole('button', { name: /Try it/ }));
    const down = await screen.findByRole('button', { name: 'Provider down 30 s' });
    await user.click(down);
    await waitFor(() => expect(down.textContent).toMatch(/Back.*(30|2\d) s/));
    await user.click(down);
    expect(fake.callsOf('practice.providerDown')).toEqual([{ seconds: 30 }]);
  });

  it('finds the story again after the kill: 3 reused, 1 asked again, 0 questions', async () => {
    open('#/', (seed) => {
      fresh(seed);
      const turn = seed.turns.find((one) => one.id === 7);
      if (!turn) throw new Error('no turn 7');
      seed.turns.push({
        ...turn,
        id: 50,
        sessionKey: PRACTICE_SESSION,
        agent: 'practice',
        state: 'completed',
      });
      seed.steps[50] = (seed.steps[7] ?? [])
        .filter((step) => step.state !== 'ambiguous')
        .map((step) => ({ ...step, turnId: 50 }));
      seed.stops[50] = [{ stoppedAtMs: 1000, backAtMs: 2200, reason: 'kill' }];
    });
    expect(await screen.findByRole('heading', { name: 'Killed, and resumed' })).toBeTruthy();
    const story = await screen.findByRole('region', { name: 'Demo' });
    // The heading needs the turn; the rest comes with its steps and with what is open.
    await waitFor(() => {
      expect(story.textContent).toContain('3 steps reused');
      expect(story.textContent).toContain('1 re-read');
      expect(story.textContent).toContain('0 questions for you');
      expect(story.textContent).toContain('back after 1.2 s');
    });
    expect(within(story).queryByText('model')).toBeNull();
    // The task is over: nothing runs any more.
    await screen.findByText(/resumed (at the same step|there), and the turn completed\./);
    expect(screen.queryByText(/resumed at the same step\.$/)).toBeNull();
  });

  it('S3-07 counts an approval that it asks for as a question for you', async () => {
    open('#/', (seed) => {
      fresh(seed);
      const turn = seed.turns.find((one) => one.id === 7);
      const [asked] = seed.approvals;
      if (!turn || !asked) throw new Error('no turn 7, or no approval');
      seed.turns.push({
        ...turn,
        id: 50,
        sessionKey: PRACTICE_SESSION,
        agent: 'practice',
        state: 'requires_action',
      });
      seed.steps[50] = [];
      seed.stops[50] = [{ stoppedAtMs: 1000, backAtMs: 2200, reason: 'kill' }];
      seed.approvals.push({ ...asked, requestId: 990, turnId: 50 });
    });
    const story = await screen.findByRole('region', { name: 'Demo' });
    await waitFor(() => expect(story.textContent).toContain('1 question for you'));
  });

  it('ticks the steps that were shown, not those that were passed over', async () => {
    const { user } = open('#/welcome', fresh);
    const marks = (): readonly string[] =>
      within(screen.getByRole('list', { name: 'Onboarding' }))
        .getAllByRole('button')
        .map((step) => (step.textContent.includes('(seen)') ? 'seen' : ''));
    await user.click(await screen.findByRole('button', { name: /Try it/ }));
    expect(marks()).toEqual(['seen', '', '', '']);
    await user.click(await screen.findByRole('button', { name: 'Back' }));
    await screen.findByRole('heading', { name: 'After a crash' });
    expect(marks()).toEqual(['seen', '', '', 'seen']);
  });

  it('is over for good when it is skipped', async () => {
    const { fake, user } = open('#/welcome', fresh);
    await user.click(await screen.findByRole('button', { name: 'Skip the rest' }));
    await waitFor(() =>
      expect(fake.callsOf('config.set')).toEqual([{ key: 'app.first_start_done', value: true }]),
    );
    await waitFor(() => expect(window.location.hash).toBe('#/'));
  });
});

it('has no findings of axe on the first start, which no walk through the pages comes by', async () => {
  const { container } = open('#/welcome');
  await screen.findByRole('heading', { level: 1 });
  expect(await axeFindings(container)).toEqual([]);
});
