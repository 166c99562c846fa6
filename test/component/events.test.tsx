// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { fakeDayLine, fakeEvents } from '../helpers/fake-history';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, command, show } from './render';
import type { Shown } from './render';

// A list draws what fits into its height, and nothing has one here.
const known = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'clientHeight');
beforeAll(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 });
});
afterAll(() => {
  if (known) Object.defineProperty(HTMLElement.prototype, 'clientHeight', known);
  else delete (HTMLElement.prototype as { clientHeight?: number }).clientHeight;
});

const open = (hash: string, change?: (seed: Seed) => void): Shown => {
  window.location.hash = hash;
  return show(<RecoveryWindow />, change);
};
/** The events that are drawn: without the head of the list and those of days. */
const rowsOf = (grid: HTMLElement): HTMLElement[] =>
  within(grid)
    .queryAllByRole('row')
    .filter((row) => row.hasAttribute('aria-selected'));
const list = async (): Promise<HTMLElement> => {
  const grid = await screen.findByRole('grid', { name: 'Events, newest first' });
  await waitFor(() => expect(rowsOf(grid).length).toBeGreaterThan(0));
  return grid;
};

describe('Events', () => {
  it('S4-33 draws some rows of 400 events, newest first, and tells of the chosen one', async () => {
    const { container } = open('#/events');
    const grid = await list();
    const rows = rowsOf(grid);
    expect(rows.length).toBeLessThan(60);
    expect(rows[0]?.textContent).toContain('Turn 1 finished');
    const pane = screen.getByRole('article', { name: 'Selected event' });
    expect(within(pane).getByText('turn.closed')).toBeTruthy();
    expect(within(pane).getByRole('link', { name: 'Open turn 1' }).getAttribute('href')).toBe(
      '#/turns/1',
    );
    expect(await axeFindings(container)).toEqual([]);
  });

  it('goes through the rows with J, K and arrows, and to the turn with Enter', async () => {
    const { user } = open('#/events');
    const grid = await list();
    await user.keyboard('jjj');
    const chosen = (): string | undefined =>
      rowsOf(grid).find((row) => row.getAttribute('aria-selected') === 'true')?.textContent ?? '';
    expect(chosen()).toContain('result unknown');
    expect(screen.getByText('The mail server exited before it answered.')).toBeTruthy();
    await user.keyboard('k');
    expect(chosen()).toContain('Step 4 began');
    act(() => grid.focus());
    await user.keyboard('{ArrowDown}');
    expect(chosen()).toContain('result unknown');
    await user.keyboard('{Enter}');
    expect(window.location.hash).toBe('#/turns/1');
  });

  it('reads on where somebody scrolls, page by page, and says where the beginning is', async () => {
    const { fake } = open('#/events', (seed) => (seed.history = fakeEvents(seed.nowMs, 130)));
    const grid = await list();
    const befores = (): unknown[] =>
      fake.callsOf('events.list').map((input) => (input as { before?: string }).before);
    await waitFor(() => expect(befores()).toEqual([undefined]));
    const scroller = grid.querySelector('.events-scroll') as HTMLElement;
    scroller.scrollTop = 100 * 30;
    fireEvent.scroll(scroller);
    await waitFor(() => expect(befores()).toEqual([undefined, 'j31']));
    expect(await screen.findByText('Start of the log.')).toBeTruthy();
    expect(Number(grid.getAttribute('aria-rowcount'))).toBeGreaterThan(130);
  });

  it('searches after typing has paused, from the key /, and asks for nothing in between', async () => {
    const { fake, user } = open('#/events');
    await list();
    await user.keyboard('/');
    const search = screen.getByRole('searchbox', { name: 'Search events' });
    expect(document.activeElement).toBe(search);
    // Without a pause, however busy the machine is.
    for (const value of ['u', 'un', 'unknow', 'unknown'])
      fireEvent.change(search, { target: { value } });
    await waitFor(() =>
      expect(fake.callsOf('events.list').at(-1)).toEqual({
        source: 'journal',
        text: 'unknown',
        limit: 100,
      }),
    );
    expect(fake.callsOf('events.list')).toHaveLength(2);
    await waitFor(async () =>
      expect(rowsOf(await list()).every((row) => row.textContent?.includes('unknown'))).toBe(true),
    );
  });

  it('says how far a search has come, and goes on when asked', async () => {
    const { fake, user } = open('#/events');
    await list();
    const backMs = fake.seed.nowMs - 60_000;
    let calls = 0;
    fake.answer('events.list', () => {
      calls += 1;
      return { events: [], nextBefore: 'j50', searchedBackToMs: backMs };
    });
    await user.type(screen.getByRole('searchbox', { name: 'Search events' }), 'nowhere');
    const on = await screen.findByRole('button', { name: 'Search further back' });
    expect(screen.getByText(/^Searched back to /)).toBeTruthy();
    const before = calls;
    expect(before).toBeGreaterThan(1);
    await user.click(on);
    await waitFor(() => expect(calls).toBeGreaterThan(before));
  });

  it('S4-33 shows one kind where that is chosen, and every kind again with another source', async () => {
    const { fake, user } = open('#/events');
    await list();
    await user.click(screen.getByRole('combobox', { name: 'Type' }));
    await user.click(await screen.findByRole('option', { name: 'Starts and stops' }));
    await waitFor(() =>
      expect(fake.callsOf('events.list').at(-1)).toEqual({
        source: 'journal',
        kinds: ['marker.started', 'marker.noticed', 'marker.stopped'],
        limit: 100,
      }),
    );
    await user.click(screen.getByText('Audit'));
    await waitFor(() =>
      expect(fake.callsOf('events.list').at(-1)).toEqual({ source: 'audit', limit: 100 }),
    );
  });

  it('narrows to a turn, a session or a time by its address, and widens again', async () => {
    const { fake, user } = open('#/events/turn-3');
    await list();
    expect(fake.callsOf('events.list')).toEqual([{ source: 'journal', turnId: 3, limit: 100 }]);
    await user.click(screen.getByRole('button', { name: 'Clear filter: Turn 3' }));
    await waitFor(() => expect(window.location.hash).toBe('#/events'));
    await waitFor(() =>
      expect(fake.callsOf('events.list').at(-1)).toEqual({ source: 'journal', limit: 100 }),
    );
    act(() => {
      window.location.hash = '#/events/session-2';
    });
    await waitFor(() => expect(fake.callsOf('events.list').at(-1)).toMatchObject({ sessionId: 2 }));
  });

  it('W8 shows hostile words as text', async () => {
    open('#/events', (seed) => {
      const [first] = fakeEvents(seed.nowMs, 1);
      seed.history = [
        {
          ...first!,
          words: 'Step 1 completed: <img src=x onerror=alert(1)> \u202egpj.exe',
          detail: '\u001b[2J<script>alert(1)</script>',
        },
      ];
    });
    const grid = await list();
    expect(grid.querySelector('img')).toBeNull();
    expect(document.querySelector('#content script')).toBeNull();
    expect(grid.textContent).toContain('<img src=x onerror=alert(1)> [U+202E]gpj.exe');
    expect(screen.getByRole('region', { name: 'More about this event' }).textContent).toContain(
      'U+001B[2J<script>',
    );
  });

  it('shows what a refusal says instead of an empty list', async () => {
    const { fake, user } = open('#/events');
    await list();
    fake.refuse('events.list', 'STARTING', 'Holdfast is still starting.');
    await user.click(screen.getByText('Audit'));
    expect((await screen.findByRole('alert')).textContent).toContain('still starting');
  });

  it('teaches one command where nothing has happened', async () => {
    open('#/events', (seed) => (seed.history = []));
    expect(await screen.findByText(/^Nothing has happened yet/)).toBeTruthy();
    expect(screen.getByText(command('holdfast send "Say hello"'))).toBeTruthy();
  });
});

describe('the 24-hour line on Home', () => {
  it('says everything in one sentence, reads ten minutes by arrows, zooms in there and then opens Events', async () => {
    window.localStorage.removeItem('holdfast.day-range');
    const { fake, user } = open('#/');
    const line = await screen.findByRole('slider', { name: 'Last 24 hours' });
    const { toMs, slotMs, fromMs, steps } = fake.seed.dayLine;
    const described = document.getElementById(line.getAttribute('aria-describedby') ?? '');
    expect(described?.textContent).toMatch(/steps completed\..*Asleep from .*Crash at/);
    expect(line.getAttribute('aria-valuenow')).toBe(String(steps.length - 1));
    act(() => line.focus());
    await user.keyboard('{ArrowLeft}{ArrowLeft}');
    expect(line.getAttribute('aria-valuenow')).toBe(String(steps.length - 3));
    expect(line.getAttribute('aria-valuetext')).toContain(
      `${String(steps.at(-3))} steps completed`,
    );
    await user.keyboard('{Enter}');
    // Half an hour beyond it is later than now: the last hour.
    await waitFor(() => expect(fake.callsOf('day.line').at(-1)).toEqual({ range: 'hour' }));
    const hour = await screen.findByRole('slider', { name: 'Last hour' });
    act(() => hour.focus());
    await user.keyboard('{ArrowLeft}{Enter}');
    const endMs = toMs - 60_000;
    expect(steps.length * slotMs).toBeGreaterThanOrEqual(toMs - fromMs);
    expect(window.location.hash).toBe(`#/events/at-${String(endMs)}`);
    await waitFor(() =>
      expect(fake.callsOf('events.list')).toEqual([
        { source: 'journal', untilMs: endMs, limit: 100 },
      ]),
    );
  });

  it('remembers the chosen length, and comes back to now from an earlier hour', async () => {
    window.localStorage.removeItem('holdfast.day-range');
    const { fake, user } = open('#/');
    await screen.findByRole('slider', { name: 'Last 24 hours' });
    expect(fake.callsOf('day.line').at(-1)).toEqual({ range: 'fit' });
    await user.click(screen.getByRole('radio', { name: '7 d' }));
    const week = await screen.findByRole('slider', { name: 'Last 7 days' });
    expect(window.localStorage.getItem('holdfast.day-range')).toBe('week');
    act(() => week.focus());
    await user.keyboard('{Home}{Enter}');
    const past = fake.callsOf('day.line').at(-1) as { range: string; untilMs: number };
    expect(past.range).toBe('day');
    expect(past.untilMs).toBeLessThan(fake.seed.nowMs);
    await user.click(await screen.findByRole('button', { name: 'Back to now' }));
    await screen.findByRole('slider', { name: 'Last 24 hours' });
    window.localStorage.removeItem('holdfast.day-range');
  });

  it('carries the restart notice in its card, and no legend for what is not in the picture', async () => {
    open('#/', (seed) => (seed.dayLine = fakeDayLine(seed.nowMs)));
    const line = await screen.findByRole('slider', { name: 'Last 24 hours' });
    const card = line.closest('.card') as HTMLElement;
    expect(await within(card).findByRole('region', { name: 'Restart' })).toBeTruthy();
    expect(within(card).getByText('asleep')).toBeTruthy();
    expect(within(card).queryByText('crash')).toBeNull();
  });

  it('says what a queued turn waits for, since when and what starts it, with Stop beside it', async () => {
    open('#/');
    const waiting = await screen.findByRole('region', { name: 'Waiting' });
    expect(waiting.textContent).toContain('waits for a free slot, 2 turns are running · since');
    expect(waiting.textContent).toContain('starts when a running turn ends');
    expect(within(waiting).getByRole('button', { name: /^Cancel turn/ })).toBeTruthy();
  });

  it('counts what was finished today only from the journal', async () => {
    const { container } = open(
      '#/',
      (seed) => (seed.dayLine = { ...seed.dayLine, turnsFinishedToday: 0 }),
    );
    await screen.findByRole('slider', { name: 'Last 24 hours' });
    expect(container.textContent).not.toContain('finished today');
  });

  it('counts a turn with the event that puts it among the recent ones, not seconds later', async () => {
    const { fake } = open('#/');
    await screen.findByRole('slider', { name: 'Last 24 hours' });
    const asked = fake.callsOf('day.line').length;
    fake.emit('turn.changed', { turnId: 1, sessionId: 1, state: 'running' });
    expect(fake.callsOf('day.line')).toHaveLength(asked);
    fake.emit('turn.changed', { turnId: 1, sessionId: 1, state: 'completed' });
    expect(fake.callsOf('day.line')).toHaveLength(asked + 1);
  });
});
