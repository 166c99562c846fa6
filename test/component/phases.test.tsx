// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { TurnPage } from '../../renderer/turn/turn-page';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';

Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 630 },
  clientWidth: { configurable: true, get: () => 900 },
});

/** The first six steps (one of them asked again) gather, the rest compares: the last of them waits for you. */
const inPhases = (seed: Seed): void => {
  seed.steps[7] = (seed.steps[7] ?? []).map((step) => ({
    ...step,
    run: {
      runId: 4,
      skill: 'compare-offers',
      phase: (step.againOf ?? step.index) <= 6 ? 'gather' : 'compare',
      visit: 1,
    },
  }));
};
const names = (): string[] =>
  within(screen.getByRole('treegrid'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.getAttribute('aria-label') ?? '');

describe('the phases of a turn', () => {
  it('S4-05 S4-07 closes what is finished and leaves open where the turn goes on', async () => {
    const { container } = show(<TurnPage turnId={7} />, inPhases);
    await screen.findByRole('treegrid');
    const [gather, compare, ...steps] = names();
    expect(gather).toBe('phase gather, 5 steps, all completed');
    expect(compare).toContain('phase compare');
    expect(steps).toHaveLength(2);
    expect(steps.some((name) => name.startsWith('phase'))).toBe(false);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S4-05 opens and closes a phase by pointer and by keys', async () => {
    const { user } = show(<TurnPage turnId={7} />, inPhases);
    const grid = await screen.findByRole('treegrid');
    const before = names().length;
    await user.click(within(grid).getByRole('row', { name: /^phase gather/ }));
    expect(names()).toHaveLength(before + 5);
    grid.focus();
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowLeft}{ArrowLeft}');
    expect(names()).toHaveLength(before);
    await user.keyboard('{ArrowRight}');
    expect(names()).toHaveLength(before + 5);
  });

  it('S4-05 says the phase of each step in the table, too', async () => {
    const { user } = show(<TurnPage turnId={7} />, inPhases);
    await screen.findByRole('treegrid');
    await user.keyboard('t');
    const table = await screen.findByRole('table');
    expect(within(table).getAllByText('phase gather')).toHaveLength(6);
    await user.keyboard('t');
  });

  it('S4-05 stays one lane without heads where a turn has no runs', async () => {
    show(<TurnPage turnId={7} />);
    const grid = await screen.findByRole('grid');
    expect(within(grid).queryByRole('row', { name: /^phase/ })).toBeNull();
  });
});
