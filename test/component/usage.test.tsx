// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { fakeUsage } from '../helpers/fake-usage';
import './each-page';
import { axeFindings, show } from './render';
import type { Shown } from './render';

const open = (prepare: (fake: Shown['fake']) => void = () => undefined): Shown => {
  window.location.hash = '#/usage';
  return show(
    <RecoveryWindow />,
    () => undefined,
    (fake) => {
      fake.answer('usage.list', () => ({ lines: fakeUsage(fake.seed.nowMs) }));
      prepare(fake);
    },
  );
};

describe('Usage', () => {
  it('BU-06 says what it cost and what recovery saved, as a picture and as a table, with hostile names inert', async () => {
    const { container, user, fake } = open();
    expect(await screen.findByRole('heading', { name: '$4.00 in the last 30 days' })).toBeTruthy();
    expect(screen.getByText('Recovery saved $0.10.')).toBeTruthy();
    const picture = screen.getByRole('img', {
      name: /^30 days as bars, by Gateway: laptop, coder/,
    });
    expect(picture.querySelectorAll('.usage-bar.is-saved')).toHaveLength(1);
    expect(fake.callsOf('usage.list')).toEqual([{ days: 30, by: ['agent'] }]);
    const agents = screen.getByRole('region', { name: 'By agent' });
    expect(within(agents).getAllByRole('row')).toHaveLength(5);
    expect(container.querySelector('b')).toBeNull();
    expect(container.textContent).not.toContain('\u202e');
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('radio', { name: 'Table' }));
    const days = await screen.findByRole('region', { name: 'By day' });
    expect(
      within(days)
        .getAllByRole('row')
        .map((row) => row.textContent),
    ).toEqual([
      'DayTurns and requestsTokensCostSaved',
      expect.stringMatching(/6 turns84,000\$1\.75\$0\.10$/),
      expect.stringMatching(/3 turns42,000\$0\.25–$/),
      expect.stringMatching(/3 requests42,000\$2\.00–$/),
    ]);
    expect(await axeFindings(container)).toEqual([]);
    await user.click(screen.getByRole('radio', { name: '7 days' }));
    expect(fake.callsOf('usage.list').at(-1)).toEqual({ days: 7, by: ['agent'] });
  });

  it.each([
    ['CSV', 'holdfast-usage-30-days.csv', /^day,provider,.*\n.*,anthropic,turns,,coder,/],
    ['JSON', 'holdfast-usage-30-days.json', /^\{\n {2}"lines": \[/],
  ])('BU-06 saves the same lines as %s', async (ending, name, text) => {
    const { user, fake } = open();
    fake.answer('app.saveText', () => ({ path: `/home/t/${name}` }));
    await screen.findByRole('region', { name: 'By agent' });
    await user.click(screen.getByRole('button', { name: 'Save as' }));
    await user.click(await screen.findByRole('menuitem', { name: ending }));
    expect(fake.callsOf('app.saveText')).toEqual([{ name, text: expect.stringMatching(text) }]);
    expect(await screen.findByText(`Saved to /home/t/${name}.`)).toBeTruthy();
  });

  it('BU-03 marks a budget that does not stop an agent, and shows what is left of each', async () => {
    const { container } = open((fake) =>
      fake.answer('budgets.list', () => ({
        budgets: [
          {
            name: 'daily',
            scope: 'all',
            key: '',
            per: 'day',
            usd: 10,
            allowedUsd: 0,
            spentUsd: 3.2,
            state: 'open',
            notEnforcedFor: ['codex'],
          },
        ],
      })),
    );
    const budgets = await screen.findByRole('region', { name: 'Budgets' });
    expect(within(budgets).getByText('$3.20 of $10.00 today')).toBeTruthy();
    expect(
      within(budgets).getByText(
        'Does not stop codex: Holdfast does not know what this agent costs.',
      ),
    ).toBeTruthy();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('BU-05 shows how each account is paid, what is left and when it starts again, with hostile names inert', async () => {
    const { container, fake } = open((prepared) =>
      prepared.answer('budgets.accounts', () => ({
        accounts: [
          {
            account: 'acme \u202e<b>x</b>',
            kind: 'credit',
            members: ['anthropic'],
            spentUsd: 12,
            isAtLeast: true,
            fromMs: prepared.seed.nowMs - 86_400_000,
            credit: {
              name: 'team',
              scope: 'account',
              key: 'acme',
              per: 'month',
              usd: 200,
              allowedUsd: 20,
              spentUsd: 50,
              state: 'open',
              isCredit: true,
              resetsOn: 15,
              endsAtMs: Date.parse('2031-12-15T12:00:00Z'),
            },
            windows: [],
          },
          {
            account: 'login claude',
            kind: 'plan',
            members: ['agent.coder'],
            spentUsd: 3.2,
            isAtLeast: false,
            fromMs: prepared.seed.nowMs - 86_400_000,
            windows: [
              { window: 'weekly', usedPercent: 85, isWarning: true, sentence: 'x' },
              { window: 'session', isWarning: true, sentence: 'x' },
            ],
          },
          {
            account: 'key $MAIN_KEY',
            kind: 'key',
            members: ['main'],
            spentUsd: 0,
            isAtLeast: false,
            fromMs: prepared.seed.nowMs - 86_400_000,
            windows: [],
          },
          {
            account: 'office-proxy',
            kind: 'unknown',
            members: ['office-proxy'],
            spentUsd: 1.5,
            isAtLeast: false,
            fromMs: prepared.seed.nowMs - 86_400_000,
            windows: [],
          },
        ],
      })),
    );
    const accounts = await screen.findByRole('region', { name: 'Accounts' });
    expect(
      within(accounts)
        .getAllByRole('listitem')
        .map((row) => [...row.children].map((part) => part.textContent)),
    ).toEqual([
      [
        expect.stringMatching(/^acme .*<b>x<\/b>$/),
        'Monthly credit',
        '$170.00 of $220.00 left, resets Dec 15 · at least $12.00 this month',
        'Used by Anthropic',
      ],
      [
        'Claude login',
        'Plan',
        'Week: 85% used · Session: nearly used up · Would have cost $3.20 this month with a key',
        expect.stringMatching(/^Used by .*coder/),
      ],
      ['Key MAIN_KEY', 'API key, billed by use', 'Not used this month', 'Used by Main'],
      ['Office proxy', 'No API key or login found', '$1.50 this month'],
    ]);
    expect(container.querySelector('b')).toBeNull();
    expect(container.textContent).not.toContain('\u202e');
    expect(fake.callsOf('budgets.accounts')).toEqual([{}]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S0-30 has a place in the sidebar and the key 8, and says what comes here on the first day', async () => {
    window.location.hash = '#/';
    const { user } = show(<RecoveryWindow />);
    await user.click(await screen.findByRole('link', { name: 'Usage' }));
    expect(
      await screen.findByText('Turns and gateway requests appear here with their tokens and cost.'),
    ).toBeTruthy();
    window.location.hash = '#/';
    await user.keyboard('8');
    expect(window.location.hash).toBe('#/usage');
  });
});
