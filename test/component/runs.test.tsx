// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RunsPage } from '../../renderer/runs/runs-page';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';

const rowsOf = async (name: string): Promise<string[]> =>
  (await within(await screen.findByRole('list', { name })).findAllByRole('listitem')).map(
    (row) => row.textContent?.replace(/\s+/g, ' ').trim() ?? '',
  );

const phasesOnPage = (): Promise<string[]> => rowsOf('Phases');

/** Steps of turn 7 in the phases of run 4; the second read was made by the run that it started. */
const inPhases = (seed: Seed): void => {
  seed.steps[7] = (seed.steps[7] ?? []).map((step) => ({
    ...step,
    run:
      step.index === 2
        ? { runId: 5, skill: 'look-up-rates', phase: 'main', visit: 1 }
        : {
            runId: 4,
            skill: 'compare-offers',
            phase: (step.againOf ?? step.index) <= 6 ? 'gather' : 'send',
            visit: 1,
          },
  }));
};

describe('skills and runs', () => {
  it('S4-+06 shows a child under the run that started it, each with phase, state and age, and Stop beside the one that has begun it all', async () => {
    const { container, fake, user } = show(<RunsPage />);
    expect(await screen.findByText('Two skill runs in progress')).toBeDefined();
    const [root, child, ...rest] = await rowsOf('Skill runs');
    expect(rest).toEqual([]);
    expect(root).toMatch(/^compare-offers Run 4phase send.*31 min.*needs youCancel$/);
    expect(child).toMatch(/^look-up-rates Run 5phase main, started by run 4.*24 min.*running$/);
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Cancel turn: compare-offers' }));
    await waitFor(() => expect(fake.callsOf('turns.cancel')).toHaveLength(1));
  });

  it('names the session of a run by its title, and by its key where it has none', async () => {
    show(<RunsPage />, (seed) => {
      const [first] = seed.sessions;
      if (!first) throw new Error('no session');
      seed.sessions = [{ ...first, key: 'suppliers', title: 'Cable suppliers' }];
      seed.work.runs = seed.work.runs.map((run) =>
        run.id === 5 ? { ...run, sessionKey: 'nightly' } : run,
      );
    });
    await screen.findByText('Cable suppliers', { exact: false });
    const [root, child] = await rowsOf('Skill runs');
    expect(root).toContain('Turn 7 Cable suppliers');
    expect(root).not.toContain('Turn 7 suppliers');
    expect(child).toContain('Turn 7 nightly');
  });

  it('S4-28 lists ended runs too where they are asked for', async () => {
    const { user } = show(<RunsPage />);
    await screen.findByText('Two skill runs in progress');
    await user.click(screen.getByRole('radio', { name: 'All' }));
    await waitFor(async () => expect(await rowsOf('Skill runs')).toHaveLength(3));
    expect((await rowsOf('Skill runs'))[2]).toContain('completed');
    await user.click(screen.getByRole('radio', { name: 'In progress' }));
  });

  it('S2-52 names the variable that a skill misses, and the line where another is refused', async () => {
    show(<RunsPage />);
    const [ready, skipped, refused] = await rowsOf('Skills');
    expect(ready).toContain('Compares offers of suppliers');
    expect(ready).toContain('3 phases: gather → compare → send, at most 3 times');
    expect(skipped).toMatch(/invoice.*LEDGER_TOKEN is not set.*skipped$/);
    expect(refused).toMatch(/Line 6: max_visits is not a whole number.*invalid$/);
    expect(await screen.findByText(/this skill was not found/)).toBeDefined();
  });

  it('S4-28 says how to begin where there is neither skill nor run', async () => {
    show(<RunsPage />, (seed) => {
      seed.work = { ...seed.work, skills: [], hints: [], runs: [] };
    });
    expect(await screen.findByText(/^No skill runs in progress\. Type \/skill/)).toBeDefined();
    expect(await screen.findByText(/^No skills\. Add a folder with a SKILL\.md/)).toBeDefined();
  });

  it('S4-05 tells before the answer what a resume reuses, asks and runs', async () => {
    const { container } = show(<RunsPage runId={4} />);
    const plan = await screen.findByRole('region', { name: 'If Holdfast stops now' });
    expect(plan.textContent).toContain('1 reused');
    expect(plan.textContent).toContain('1 with unknown outcome');
    expect(plan.textContent).toContain('step 3');
    expect(plan.textContent).toContain('The turn decides first: send_email had started');
    const cells = await phasesOnPage();
    expect(cells).toEqual([
      expect.stringMatching(/^gathercompleted \d/),
      expect.stringMatching(/^comparecompleted \d/),
      expect.stringMatching(/^sendneeds you/),
    ]);
    expect(screen.getByRole('link', { name: 'Was the mail to t.okafor sent?' })).toBeDefined();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S4-05 S4-07 draws each phase as a lane with the steps of the run and of those that it started, and opens one in place', async () => {
    const { container, user } = show(<RunsPage runId={4} />, inPhases);
    expect(await screen.findByText(/^Phase send, 3 of 3, needs you:/)).toBeDefined();
    const grid = await screen.findByRole('treegrid');
    const lanes = (): string[] =>
      within(grid)
        .getAllByRole('row')
        .map((row) => row.getAttribute('aria-label') ?? '')
        .filter((name) => name.startsWith('phase '));
    await waitFor(() => expect(lanes().join()).toContain('phase main'));
    expect(lanes().filter((name) => name.startsWith('phase gather'))).not.toEqual([]);
    expect(lanes().at(-1)).toMatch(/^phase send/);
    expect((await phasesOnPage())[0]).toMatch(/^gathercompleted .*\d steps/);
    const step = within(grid)
      .getAllByRole('row')
      .find((row) => row.getAttribute('aria-level') === '2');
    if (step === undefined) throw new Error('no step is drawn');
    await user.click(step);
    expect(await screen.findByRole('region', { name: /^Step \d/ })).toBeDefined();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S4-05 shows phases that are ahead, and where a run ended inside one', async () => {
    const { container } = show(<RunsPage runId={4} />, (seed) => {
      const plan = seed.work.plans[4];
      if (plan === undefined) throw new Error('no plan');
      seed.work.plans[4] = {
        ...plan,
        phases: [
          { phase: 'gather', visit: 1, state: 'done' },
          { phase: 'compare', visit: 2, state: 'in_flight' },
          { phase: 'send', visit: 1, state: 'to_run' },
        ],
      };
      seed.work.runs = seed.work.runs.map((run) =>
        run.id === 4 ? { ...run, phase: 'compare', visit: 2 } : run,
      );
    });
    expect(await phasesOnPage()).toEqual([
      expect.stringMatching(/^gathercompleted/),
      expect.stringMatching(/^comparepass 2needs you/),
      'sendto run',
    ]);
    const now = container.querySelector('[aria-current="step"]');
    expect(now?.textContent).toContain('compare');
  });

  it('S4-28 discards only after showing what that ends, and bound to what was shown; its turn can be stopped', async () => {
    const { fake, user } = show(<RunsPage runId={4} />);
    await screen.findByRole('button', { name: 'Cancel turn: compare-offers' });
    await user.click(await screen.findByRole('button', { name: 'Discard run' }));
    const dialog = await screen.findByRole('dialog', { name: 'Discard this run?' });
    expect(dialog.textContent).toContain('run 4, compare-offers, phase send');
    expect(dialog.textContent).toContain('run 5, look-up-rates, phase main');
    expect(dialog.textContent).toContain('Turn 7 ends with it');
    expect(dialog.textContent).toContain('Step 3 has an unknown outcome');
    expect(fake.callsOf('runs.discard')).toEqual([{ runId: 4 }]);
    // Its child comes to its end meanwhile: the answer is no longer to what is there.
    fake.seed.work.runs = fake.seed.work.runs.map((one) =>
      one.id === 5 ? { ...one, state: 'completed' } : one,
    );
    await user.click(within(dialog).getByRole('button', { name: 'Discard run' }));
    expect((await within(dialog).findByRole('alert')).textContent).toContain('REQUEST_STALE');
    await waitFor(() => expect(dialog.textContent).not.toContain('look-up-rates'));
    expect(fake.seed.work.runs.find((one) => one.id === 4)?.state).toBe('running');
    await user.click(within(dialog).getByRole('button', { name: 'Discard run' }));
    expect(await screen.findByText('Run 4 was discarded. Its files stay.')).toBeDefined();
    expect(fake.seed.work.runs.find((one) => one.id === 4)?.state).toBe('discarded');
    expect(screen.queryByRole('button', { name: /^(Discard run|Cancel turn)/ })).toBeNull();
  });

  it('S4-28 says of a run that is not there that it is not there', async () => {
    show(<RunsPage runId={99} />);
    expect((await screen.findByRole('alert')).textContent).toContain('RUN_UNKNOWN');
  });
});
