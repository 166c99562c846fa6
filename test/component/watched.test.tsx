// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { seedTerminal } from '../helpers/fake-terminals';
import type { WatchedTerminal } from '../../shared/types/terminals';
import { axeFindings, show, type Shown } from './render';

beforeEach(() => {
  window.location.hash = '#/';
});

const open = (...terminals: WatchedTerminal[]): Shown =>
  show(
    <RecoveryWindow />,
    () => undefined,
    (fake) => {
      fake.answer('watch.list', () => ({ terminals }));
    },
  );
const region = () => screen.findByRole('region', { name: 'Monitored terminals' });

describe('watched terminals on Home', () => {
  it('shows nothing where no terminal was watched, or a session has it', async () => {
    const { fake } = open(seedTerminal(Date.now(), { session: 'shop' }));
    await screen.findByRole('region', { name: 'Running' });
    await waitFor(() => expect(fake.callsOf('watch.list')).toHaveLength(1));
    expect(screen.queryByRole('region', { name: 'Monitored terminals' })).toBeNull();
  });

  it('says what had finished, what is unknown, and the command that goes on, with a button to copy it', async () => {
    const { container } = open(seedTerminal(Date.now()));
    const card = await region();
    for (const words of [
      'Move the shop to the new tax rates',
      '/home/mara/shop',
      '2 tool calls completed, last: Bash: npm test',
      'Started, outcome unknown: Bash: npm run deploy',
      'cd /home/mara/shop && claude --resume 5d0c3d1e',
      'running a tool, or interrupted in it',
    ])
      expect(card.textContent).toContain(words);
    expect(within(card).getByRole('button', { name: 'Copy the command' })).toBeTruthy();
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    ['when it resets', 2 * 3_600_000, /Usage limit reached\. Resets at .+ \(in 2 h\)\./],
    [
      'that it has reset',
      -3_600_000,
      /The usage limit reset at .+\. Continue here or in the terminal\./,
    ],
    ['that no time was given', undefined, /Usage limit reached\. No reset time was given\./],
  ] as const)('LM-12 says of a usage limit %s', async (_what, inMs, words) => {
    const nowMs = Date.now();
    const limit = { atMs: nowMs, ...(inMs === undefined ? {} : { resetsAtMs: nowMs + inMs }) };
    open(seedTerminal(nowMs, { limit }));
    expect((await region()).textContent).toMatch(words);
  });

  it('goes on here with the agent of its folder and shows the session', async () => {
    const terminal = seedTerminal(Date.now());
    const { fake, user } = open(terminal);
    await user.click(
      within(await region()).getByRole('button', {
        name: 'Continue in Holdfast: Move the shop to the new tax rates',
      }),
    );
    await waitFor(() =>
      expect(fake.callsOf('session.adopt')).toEqual([{ agent: 'shop', ref: terminal.ref }]),
    );
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/sessions\/\d+$/));
  });

  it('says why it cannot go on here: the terminal is alive, or no agent works in the folder', async () => {
    const { fake, user } = open(
      seedTerminal(Date.now()),
      seedTerminal(Date.now(), { ref: 'other', agents: [], prompt: 'Something else' }),
    );
    const card = await region();
    expect(card.textContent).toContain('No agent uses this folder');
    fake.refuse(
      'session.adopt',
      'CONVERSATION_BUSY',
      'A watched terminal is still in this conversation.',
      'End it there, then try again.',
    );
    await user.click(within(card).getByRole('button', { name: /^Continue in Holdfast: Move/ }));
    expect(await screen.findByText(/still in this conversation/)).toBeTruthy();
  });

  it('shows text of a terminal as it is, not as it wants to look', async () => {
    open(seedTerminal(Date.now(), { prompt: 'pay \u202Eyap', finished: [], finishedCount: 0 }));
    const card = await region();
    expect(card.textContent).not.toContain('\u202E');
    expect(card.textContent).toContain('pay');
  });
});
