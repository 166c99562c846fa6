// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnPage } from '../../renderer/turn/turn-page';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';
import type { Shown } from './render';

// Nothing is laid out here: lists are told that they have room for twenty rows.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 540 },
  clientWidth: { configurable: true, get: () => 900 },
});

const open = (turnId = 7, change?: (seed: Seed) => void): Shown =>
  show(<TurnPage turnId={turnId} />, change);
const grid = async (): Promise<HTMLElement> =>
  screen.findByRole('grid', { name: 'Timeline of this turn' });

/** A turn of so many steps, one second each. */
const long =
  (count: number) =>
  (seed: Seed): void => {
    const step = seed.steps[7]?.[0];
    if (!step) throw new Error('no step');
    seed.steps[1] = Array.from({ length: count }, (_, at) => ({
      ...step,
      turnId: 1,
      index: at + 1,
      hint: `item ${at}`,
      startedAtMs: seed.nowMs - (count - at) * 1000,
      endedAtMs: seed.nowMs - (count - at) * 1000 + 800,
    }));
  };

afterEach(() => window.localStorage.clear());

describe('the timeline of a turn', () => {
  it('S4-+02 tells a crashed and resumed turn from its rows alone', async () => {
    open();
    const names = within(await grid())
      .getAllByRole('row')
      .map((row) => row.getAttribute('aria-label') ?? '');
    expect(names.slice(1).map((name) => name.replace(/started [^,]+/, 'started T'))).toEqual([
      'model choose criteria, model, started T, reused',
      'web_fetch exchange rates, read-only, started T, re-read, same result',
      'model rank the offers, model, started T, reused',
      'write_file comparison.md, writes, started T, reused',
      'model write the summary, model, started T, re-run',
      'send_email anna.berg, external, started T, completed',
      'send_email t.okafor, external, started T, outcome unknown, needs you',
    ]);
  });

  it('says in one sentence when and why it stopped, for how long, and what became of the steps', async () => {
    open();
    await grid();
    expect(
      screen.getByText(
        /^Stopped at .+ \(power loss\), back after 4 min 13 s\. 3 completed steps reused, 1 re-read, 1 re-run, 1 outcome unknown\. It needs your decision\./,
      ),
    ).toBeTruthy();
  });

  it('S3-06 says once what a turn needs that waits for an approval: the tool that its question is about', async () => {
    const { container } = open(11);
    await grid();
    const story = container.querySelector('.turn-story');
    expect(story?.textContent.trim()).toBe('shell needs your approval.');
  });

  it('is one tab stop: down, up, End, Enter opens the step, Esc goes back to it', async () => {
    const { user } = open();
    const box = await grid();
    act(() => box.focus());
    const active = (): string | null | undefined =>
      document
        .getElementById(box.getAttribute('aria-activedescendant') ?? '')
        ?.getAttribute('aria-label');
    expect(active()).toContain('choose criteria');
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(active()).toContain('rank the offers');
    await user.keyboard('{ArrowUp}{End}');
    expect(active()).toContain('t.okafor');
    await user.keyboard('{Enter}');
    const pane = await screen.findByRole('region', { name: 'Step 8' });
    expect(document.activeElement).toBe(pane);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('region', { name: 'Step 8' })).toBeNull();
    expect(document.activeElement).toBe(box);
  });

  it('T shows the same steps as a table and back, and the choice is kept', async () => {
    const { user } = open();
    await grid();
    await user.keyboard('t');
    expect(await screen.findByRole('table', { name: 'Steps of this turn' })).toBeTruthy();
    expect(screen.queryByRole('grid')).toBeNull();
    expect(window.localStorage.getItem('holdfast.steps')).toBe('table');
    await user.keyboard('T');
    expect(await grid()).toBeTruthy();
  });

  it('says how many steps it has, and finds those with some words in timeline and table', async () => {
    const { user, container } = open(1, long(1_081));
    const named = async (): Promise<readonly string[]> =>
      within(await grid())
        .getAllByRole('row')
        .map((row) => row.getAttribute('aria-label') ?? '')
        .slice(1);
    await grid();
    expect(container.querySelector('.turn-facts')?.textContent).toContain('1,081 steps');
    expect((await named()).length).toBeGreaterThan(10);
    await user.type(screen.getByRole('searchbox', { name: 'Find a step' }), 'item 1077');
    await waitFor(async () => expect(await named()).toHaveLength(1));
    expect((await named())[0]).toContain('item 1077');
    expect(screen.getByText('1 of 1,081 steps')).toBeTruthy();
    // Esc takes the words back; the keys of the page work again outside of the field.
    await user.keyboard('{Escape}');
    await waitFor(async () => expect((await named()).length).toBeGreaterThan(10));
    act(() => (document.activeElement as HTMLElement).blur());
    await user.keyboard('t');
    const table = await screen.findByRole('table', { name: 'Steps of this turn' });
    await user.type(screen.getByRole('searchbox', { name: 'Find a step' }), 'nothing like it');
    expect(await screen.findByText('No matching steps.')).toBeTruthy();
    expect(table.isConnected).toBe(false);
  });

  it('has no field to find a step where all of them fit on the page', async () => {
    open();
    await grid();
    expect(screen.queryByRole('searchbox')).toBeNull();
  });

  it('plus zooms in, 0 shows all again, ] goes to the first row after the stop', async () => {
    const { user } = open();
    const box = await grid();
    const fit = screen.getByRole('radio', { name: 'Fit' });
    expect((fit as HTMLInputElement).checked).toBe(true);
    act(() => box.focus());
    await user.keyboard('+');
    expect((fit as HTMLInputElement).checked).toBe(false);
    await user.keyboard('0');
    expect((fit as HTMLInputElement).checked).toBe(true);
    await user.keyboard(']]');
    const id = box.getAttribute('aria-activedescendant') ?? '';
    expect(document.getElementById(id)?.getAttribute('aria-label')).toContain('exchange rates');
  });

  it('shows the earlier call of a repeated step beside it', async () => {
    const { user } = open();
    await grid();
    await user.click(screen.getByRole('row', { name: /exchange rates/ }));
    const pane = await screen.findByRole('region', { name: 'Step 5' });
    await user.click(within(pane).getByRole('button', { name: 'step 2' }));
    expect(await screen.findByRole('region', { name: 'Step 2' })).toBeTruthy();
  });

  it('above 200 steps draws only the rows on the screen, and counts all of them', async () => {
    open(1, long(2000));
    const box = await grid();
    expect(box.getAttribute('aria-rowcount')).toBe('2001');
    const drawn = within(box).queryAllByRole('row').length;
    expect(drawn).toBeGreaterThan(15);
    expect(drawn).toBeLessThan(80);
  });

  it('above 2,000 steps is a strip with the list beside it', async () => {
    open(1, long(2400));
    expect(await screen.findByRole('img', { name: /2,400 steps|2400 steps/ })).toBeTruthy();
    const table = await screen.findByRole('table', { name: 'Steps of this turn' });
    expect(table.getAttribute('aria-rowcount')).toBe('2401');
  });

  it('reads a result whole that is longer than a page answer carries', async () => {
    const { fake, user } = open(7, (seed) => {
      seed.steps[7] = (seed.steps[7] ?? []).map((step) =>
        step.index === 8 ? { ...step, result: 'r'.repeat(4000), isTruncated: true } : step,
      );
    });
    fake.answer('turns.text', ({ fromChar = 0 }) =>
      fromChar === 0
        ? { text: 'first ', fromChar, totalChars: 10, nextChar: 6 }
        : { text: 'last', fromChar, totalChars: 10 },
    );
    await grid();
    await user.click(screen.getByRole('row', { name: /t\.okafor/ }));
    await user.click(await screen.findByRole('button', { name: 'Show the full text' }));
    await waitFor(() =>
      expect(screen.getByRole('region', { name: 'Result' }).textContent).toBe('first last'),
    );
    expect(screen.queryByRole('button', { name: 'Show the full text' })).toBeNull();
  });

  it('W8 shows a hostile result inert, exact and a part at a time', async () => {
    const hostile = `${'\u202e'.repeat(1500)}<img src=x onerror=alert(1)>\u001b[31m${'y'.repeat(2400)}`;
    const { fake, user, container } = open(7, (seed) => {
      seed.steps[7] = (seed.steps[7] ?? []).map((step) =>
        step.index === 8 ? { ...step, result: hostile } : step,
      );
    });
    await grid();
    await user.click(screen.getByRole('row', { name: /t\.okafor/ }));
    expect(fake.callsOf('turns.step')).toEqual([{ turnId: 7, step: 8 }]);
    const result = await screen.findByRole('region', { name: 'Result' });
    expect(result.querySelectorAll('.odd-char')).toHaveLength(600);
    await user.click(within(result).getByRole('button', { name: /^Show more/ }));
    await user.click(within(result).getByRole('button', { name: /^Show more/ }));
    expect(result.querySelectorAll('.odd-char')).toHaveLength(1501);
    expect(result.textContent).toContain('<img src=x onerror=alert(1)>U+001B[31m');
    expect(container.querySelector('img')).toBeNull();
  });

  it('offers Stop in the head while it is not ended, also while it waits for an answer', async () => {
    const { fake, user } = open();
    await user.click(await screen.findByRole('button', { name: /^Cancel turn: Compare/ }));
    await waitFor(() => expect(fake.callsOf('turns.cancel')).toEqual([{ turnId: 7 }]));
  });

  it('keeps the decision under the timeline, with its plan', async () => {
    open();
    await grid();
    const decision = screen.getByRole('region', { name: /Needs review/ });
    expect(within(decision).getByText('What happens next')).toBeTruthy();
    expect(within(decision).queryByRole('button', { name: 'Mark as sent' })).toBeTruthy();
  });

  it('S2-02 S2-25 says how often a call was tried, and lists each failed try with what it met and the wait', async () => {
    const { container, user } = open(7, (seed) => {
      seed.steps[7] = (seed.steps[7] ?? []).map((step) =>
        step.index === 3
          ? {
              ...step,
              tries: [
                {
                  atMs: step.startedAtMs + 4000,
                  nextAtMs: step.startedAtMs + 6100,
                  failure: 'server',
                  status: 503,
                  error: 'Overloaded',
                },
                {
                  atMs: step.startedAtMs + 10_000,
                  nextAtMs: step.startedAtMs + 14_000,
                  failure: 'timeout',
                  error: 'No answer within 4 s',
                },
              ],
            }
          : step,
      );
    });
    await grid();
    const row = screen.getByRole('row', { name: /rank the offers.+3 attempts$/ });
    expect(row.querySelectorAll('.tl-gap')).toHaveLength(2);
    expect(row.querySelectorAll('.tl-notch')).toHaveLength(2);
    await user.click(row);
    const tries = within(await screen.findByRole('region', { name: 'Step 3' })).getByRole('list', {
      name: 'Attempts of step 3',
    });
    expect(
      within(tries)
        .getAllByRole('listitem')
        .map((item) => [...item.children].map((part) => part.textContent))
        .map(([number, , met, wait]) => [number, met, wait]),
    ).toEqual([
      ['Attempt 1', 'server error (503) Overloaded', 'next attempt 2.1 s later'],
      ['Attempt 2', 'timed out No answer within 4 s', 'next attempt 4 s later'],
    ]);
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'As a table' }));
    const cells = within(await screen.findByRole('row', { name: /rank the offers/ }));
    expect(cells.getByText('3 attempts')).toBeTruthy();
  });

  it('has no findings of axe, as timeline, with an open step, and as a table', async () => {
    const { container, user } = open();
    await grid();
    await user.click(screen.getByRole('row', { name: /exchange rates/ }));
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'As a table' }));
    expect(await axeFindings(container)).toEqual([]);
  });
});
