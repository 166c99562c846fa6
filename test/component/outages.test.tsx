// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import { downOutside, fakeHealth, outsideStatus } from '../helpers/fake-outages';
import type { StatusSnapshot } from '../../shared/types';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';
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

type External = NonNullable<StatusSnapshot['outside']>['providers'][number];

const down = (seed: Seed): void => {
  seed.outside = downOutside(seed.nowMs);
  seed.status = { ...seed.status, outside: outsideStatus(seed.outside) };
};
const open = (hash: string, change: (seed: Seed) => void = down): Shown => {
  window.location.hash = hash;
  return show(<RecoveryWindow />, change);
};
const queue = async (): Promise<HTMLElement> => {
  const table = await screen.findByRole('table', { name: 'Waiting, in this order' });
  await waitFor(() => expect(within(table).getAllByRole('link').length).toBeGreaterThan(0));
  return table;
};
const titles = (table: HTMLElement): readonly (string | null)[] =>
  within(table)
    .getAllByRole('link')
    .map((link) => link.textContent);

describe('Outages: a provider is down', () => {
  it('S0-18 says who, what waits, since when and when it is tried next, and nothing is asked', async () => {
    const { container } = open('#/outages');
    expect(await screen.findByRole('heading', { name: 'Office proxy is down' })).toBeTruthy();
    expect(
      screen.getByText(
        'The connection was refused. 14 turns are queued in order and resume automatically when it is back.',
      ),
    ).toBeTruthy();
    expect(screen.getByText(/^1[89] min$/)).toBeTruthy();
    const table = await queue();
    expect(table.getAttribute('aria-rowcount')).toBe('15');
    expect(titles(table).slice(0, 2)).toEqual([
      'Draft the offer for Lindner',
      'Which contracts end in May?',
    ]);
    expect(within(table).getByText('4 merged into 1')).toBeTruthy();
    expect(within(table).getByText('7 steps')).toBeTruthy();
    const breaker = screen.getByRole('region', { name: 'Circuit breaker' });
    expect(within(breaker).getByRole('img').getAttribute('aria-label')).toContain('Now open.');
    expect(within(breaker).getByText(/^(in \d+ s|now)$/)).toBeTruthy();
    expect(within(breaker).getByText('120 s').getAttribute('aria-current')).toBe('step');
    expect(screen.getByText('Turn number 1 runs first.')).toBeTruthy();
    expect(container.querySelectorAll('[data-variant="filled"]')).toHaveLength(1);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S0-17 counts the open outage in the sidebar, where the page has a place and a key', async () => {
    const { user } = open('#/');
    const link = await screen.findByRole('link', { name: /^Outages/ });
    await waitFor(() => expect(link.textContent).toContain('1 outage'));
    await user.keyboard('5');
    expect(window.location.hash).toBe('#/outages');
  });

  it('X-02 tries now when asked, once, and says what came of it', async () => {
    const { fake, user } = open('#/outages');
    await user.click(await screen.findByRole('button', { name: 'Check now: Office proxy' }));
    expect(fake.callsOf('outage.probe')).toEqual([{ provider: 'office proxy' }]);
    expect(
      await screen.findByText(
        /^Office proxy isn’t responding: The connection was refused\. Waiting turns stay queued;/,
      ),
    ).toBeTruthy();
  });

  it('S0-20 moves a turn with Alt and arrows; the row is busy until the order is on disk', async () => {
    const { fake, user } = open('#/outages');
    const table = await queue();
    let write: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (write = resolve));
    const { bridge } = fake;
    const real = bridge.call['outage.move'];
    Object.assign(bridge.call, {
      'outage.move': async (input: Parameters<typeof real>[0]) => {
        await written;
        return real(input);
      },
    });
    within(table).getByRole('link', { name: 'Translate the release note' }).focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    expect(titles(table).slice(0, 3)).toEqual([
      'Draft the offer for Lindner',
      'Translate the release note',
      'Which contracts end in May?',
    ]);
    const row = within(table)
      .getByRole('link', { name: 'Translate the release note' })
      .closest('[role=row]');
    expect(row?.getAttribute('aria-busy')).toBe('true');
    expect(document.activeElement?.textContent).toBe('Translate the release note');
    act(() => write());
    expect(
      await screen.findByText('Translate the release note is now number 2 of 14.'),
    ).toBeTruthy();
    expect(row?.getAttribute('aria-busy')).toBeNull();
    expect(fake.callsOf('outage.move')).toEqual([{ turnId: 42, beforeTurnId: 41 }]);
  });

  it('S0-20 puts the row back where an order is refused, and says so', async () => {
    const { fake, user } = open('#/outages');
    const table = await queue();
    fake.refuse('outage.move', 'TURN_STATE', 'Turn 40 does not wait any more.');
    within(table).getByRole('link', { name: 'Draft the offer for Lindner' }).focus();
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    expect(await screen.findByText('Turn 40 does not wait any more.')).toBeTruthy();
    expect(titles(table)[0]).toBe('Draft the offer for Lindner');
  });

  it('S0-20 moves a row by its handle to where the pointer lets it go', async () => {
    const { fake } = open('#/outages');
    const table = await queue();
    const handle = within(table).getByTitle('Drag to move: Answer to invoice 2291');
    Object.assign(handle, { setPointerCapture: () => undefined });
    fireEvent.pointerDown(handle, { button: 0, pointerId: 1, clientY: 100 });
    fireEvent.pointerMove(handle, { pointerId: 1, clientY: 35 });
    expect(table.querySelector('.waiting-drop')).not.toBeNull();
    fireEvent.pointerUp(handle, { pointerId: 1, clientY: 35 });
    await waitFor(() =>
      expect(fake.callsOf('outage.move')).toEqual([{ turnId: 43, beforeTurnId: 41 }]),
    );
    expect(table.querySelector('.waiting-drop')).toBeNull();
  });

  it('S0-20 has a menu for each row: to the front, and remove, which stops the turn', async () => {
    const { fake, user } = open('#/outages');
    const table = await queue();
    await user.click(within(table).getByRole('button', { name: 'Actions: Price list for Q3' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Move to the front' }));
    await waitFor(() => expect(titles(table)[0]).toBe('Price list for Q3'));
    await user.click(within(table).getByRole('button', { name: 'Actions: Reply to the landlord' }));
    fake.answer('turns.cancel', () => fake.seed.turns[0]!);
    await user.click(await screen.findByRole('menuitem', { name: 'Remove (cancels this turn)' }));
    // With its note, which has Undo: test/component/toasts.
    await user.click(await screen.findByRole('button', { name: 'Close' }));
    await waitFor(() => expect(fake.callsOf('turns.cancel')).toEqual([{ turnId: 48 }]));
  });

  it('S0-18 draws some rows of 1,000 and counts the 200 behind them', async () => {
    open('#/outages', (seed) => {
      down(seed);
      const first = seed.outside.held[0]!;
      seed.outside.held = Array.from({ length: 1200 }, (_, at) => ({
        ...first,
        turnId: at + 1,
        position: at + 1,
        promptStart: `turn ${String(at + 1)}`,
      }));
    });
    const table = await queue();
    expect(titles(table).length).toBeLessThan(80);
    expect(table.getAttribute('aria-rowcount')).toBe('1201');
    expect(screen.getByText('200 more turns wait behind these.')).toBeTruthy();
  });

  it('S2-21 opens a breaker only after a question that says what it does', async () => {
    const { fake, user } = open('#/outages', (seed) => {
      down(seed);
      for (const one of seed.outside?.breakers ?? []) one.successThreshold = 3;
    });
    await user.click(await screen.findByRole('button', { name: 'Circuit breaker of Ollama' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Open the circuit breaker…' }));
    const dialog = await screen.findByRole('dialog', {
      name: 'Open the circuit breaker of Ollama?',
    });
    expect(dialog.textContent).toContain('after 3 consecutive successful probes');
    expect(fake.callsOf('breakers.trip')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Open circuit breaker' }));
    await waitFor(() =>
      expect(fake.callsOf('breakers.trip')).toEqual([{ name: 'provider.ollama' }]),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('S2-22 closes a breaker the same way, from the menu of the page', async () => {
    const { fake, user } = open('#/outages');
    await user.click(await screen.findByRole('button', { name: 'More about Office proxy' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Close the circuit breaker…' }));
    await user.click(await screen.findByRole('button', { name: 'Close circuit breaker' }));
    await waitFor(() =>
      expect(fake.callsOf('breakers.reset')).toEqual([{ name: 'provider.office proxy' }]),
    );
  });

  it('S2-16 shows one provider at a time where several do not answer', async () => {
    const { user } = open('#/outages');
    const choose = await screen.findByRole('radiogroup', { name: 'Provider' });
    await user.click(within(choose).getByRole('radio', { name: 'Anthropic: Usage limit' }));
    expect(window.location.hash).toBe('#/outages/anthropic');
    expect(
      await screen.findByRole('heading', { name: /^Anthropic: usage limit resets at/ }),
    ).toBeTruthy();
  });

  it('S2-20 lists every other breaker with its switch and one word, the worst first', async () => {
    open('#/outages');
    const others = await screen.findByRole('region', { name: 'Other connections' });
    const rows = within(others).getAllByRole('listitem');
    expect(rows.map((row) => row.textContent?.replace(/·.*$/, ''))).toEqual([
      'mailMCP serverChecking',
      expect.stringMatching(/^Anthropicprovider /),
      'Browser 1browserUp',
      'NATSevent brokerUp',
      'OllamaproviderUp',
    ]);
    expect(within(rows[0]!).getByRole('img', { name: 'Circuit breaker half-open' })).toBeTruthy();
  });

  it('asks again when something outside changes, and only then', async () => {
    const { fake } = open('#/outages');
    await queue();
    const before = fake.callsOf('provider.status').length;
    fake.seed.outside.providers = fake.seed.outside.providers.map((one) =>
      one.provider === 'office proxy' ? { ...one, state: 'recovering', ramp: 1 } : one,
    );
    act(() => fake.emit('outage.changed', {}));
    expect(await screen.findByRole('heading', { name: 'Office proxy is back' })).toBeTruthy();
    expect(fake.callsOf('provider.status')).toHaveLength(before + 1);
  });
});

describe('Outages: the plot', () => {
  it('S0-17 is a picture with one sentence, a reading by keys, and a table with T', async () => {
    const { user } = open('#/outages');
    const plot = await screen.findByRole('slider', { name: 'Turns waiting' });
    const about = document.getElementById(plot.getAttribute('aria-describedby') ?? '');
    expect(about?.textContent).toContain('Turns waiting for Office proxy: 14 now, at most 14.');
    expect(about?.textContent).toContain('15 requests and probes failed. Next probe at');
    act(() => plot.focus());
    await user.keyboard('{Home}');
    expect(plot.getAttribute('aria-valuetext')).toContain('nothing sent yet, 0 waiting');
    await user.keyboard('{End}{Escape}');
    await user.keyboard('t');
    const table = await screen.findByRole('region', { name: 'As a table' });
    expect(within(table).getByText('marked down: 3 consecutive turns failed')).toBeTruthy();
    expect(within(table).getByText('Next probe')).toBeTruthy();
  });

  it('asks for another range when it is chosen', async () => {
    const { fake, user } = open('#/outages');
    await user.click(await screen.findByRole('radio', { name: '6 h' }));
    await waitFor(() =>
      expect(fake.callsOf('outage.plot').at(-1)).toEqual({
        provider: 'office proxy',
        range: '6h',
      }),
    );
  });
});

describe('Outages: one that is over', () => {
  const ended = (seed: Seed): void => {
    const minute = 60_000;
    const { plots } = downOutside(seed.nowMs);
    const plot = plots['office proxy'];
    if (plot === undefined) throw new Error('no plot');
    seed.outside.plots = { ...seed.outside.plots, anthropic: { ...plot, provider: 'anthropic' } };
    seed.outside.outages = [
      {
        outageId: 50,
        provider: 'anthropic',
        startedAtMs: seed.nowMs - 17 * minute,
        resolvedAtMs: seed.nowMs - 4 * minute,
        failedTurns: 3,
        reason: 'The connection was refused at 14:12.',
        drained: 5,
      },
      ...seed.outside.outages,
    ];
  };

  it('keeps its picture and says that 5 turns ran in order and none was lost, until it is closed', async () => {
    window.localStorage.removeItem('holdfast.outage-closed');
    const { user, container, fake } = open('#/outages', ended);
    const story = await screen.findByRole('region', { name: 'Close the outage of Anthropic' });
    expect(
      within(story).getByRole('heading', {
        name: /^Anthropic was down from 2:1\d PM to 2:[23]\d PM$/,
      }),
    ).toBeTruthy();
    expect(story.textContent).toContain('5 turns ran in order, none was lost.');
    // One clock format: the engine's own is not shown.
    expect(story.textContent).toContain('Reason: The connection was refused at 2:12 PM.');
    expect(await within(story).findByRole('slider', { name: 'Turns waiting' })).toBeTruthy();
    expect(within(story).queryByRole('radio')).toBeNull();
    expect(fake.callsOf('outage.plot').at(-1)).toEqual({ provider: 'anthropic', range: '30m' });
    expect(await axeFindings(container)).toEqual([]);
    await user.click(within(story).getByRole('button', { name: 'Close the outage of Anthropic' }));
    await waitFor(() =>
      expect(screen.queryByRole('region', { name: 'Close the outage of Anthropic' })).toBeNull(),
    );
    expect(window.localStorage.getItem('holdfast.outage-closed')).toBe('50');
    window.localStorage.removeItem('holdfast.outage-closed');
  });

  it('has one row in the inbox, not one for its start and one for its end', async () => {
    const item = (id: number, title: string, settledAtMs?: number) => ({
      id,
      kind: 'outage' as const,
      title,
      detail: '',
      createdAtMs: Date.now() - 60_000,
      ...(settledAtMs === undefined ? {} : { settledAtMs, outcome: 'is back' }),
    });
    open('#/decisions', (seed) => {
      seed.inbox = [
        item(90, 'Anthropic is down', seed.nowMs - 1000),
        item(91, 'Anthropic is back'),
      ];
    });
    expect(await screen.findAllByText('Anthropic is back')).not.toHaveLength(0);
    expect(screen.queryByText('Anthropic is down')).toBeNull();
  });
});

describe('Outages: not an outage', () => {
  const only = (given: Parameters<typeof fakeHealth>[0]) => (seed: Seed) => {
    seed.outside.providers = [fakeHealth(given)];
  };

  it('S0-15 a refused key: its own words, and the way to its section of the settings instead of another try', async () => {
    const { fake, user } = open(
      '#/outages',
      only({ provider: 'anthropic', state: 'key', waiting: 2 }),
    );
    expect(
      await screen.findByRole('heading', { name: 'Anthropic rejected the API key' }),
    ).toBeTruthy();
    expect(
      screen.getByText('This is not an outage. 2 turns wait until you change the key.'),
    ).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Check now: Anthropic' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Change the key' }));
    await user.click(screen.getByRole('button', { name: 'More about Anthropic' }));
    await user.click(
      await screen.findByRole('menuitem', { name: 'Outage and circuit breaker settings' }),
    );
    expect(fake.callsOf('app.openSettings')).toEqual([{ at: 'providers' }, { at: 'outages' }]);
  });

  it('S0-14 a used up limit: until when, a clock on a closed switch', async () => {
    const { container } = open(
      '#/outages/anthropic',
      only({ provider: 'anthropic', state: 'quota', quotaUntilMs: Date.now() + 3_600_000 }),
    );
    expect(
      await screen.findByRole('heading', { name: /^Anthropic: usage limit resets at/ }),
    ).toBeTruthy();
    expect(container.querySelector('[data-variant="filled"]')).toBeNull();
    expect(screen.getByText(/Holdfast resumes then, even after a restart/)).toBeTruthy();
  });

  it('S0-20 all is well: the sentence, the connections, the outage of yesterday, nothing filled', async () => {
    const { container } = open('#/outages', () => undefined);
    expect(await screen.findByRole('heading', { name: 'All providers are up' })).toBeTruthy();
    const days = await screen.findByRole('region', { name: 'Last 30 days' });
    expect(
      await within(days).findByRole('img', {
        name: 'Anthropic: 1 outage in 30 days, used on 0 days.',
      }),
    ).toBeTruthy();
    expect(within(days).getByText('1 outage, 21 min down')).toBeTruthy();
    const list = await screen.findByRole('region', { name: 'Connections' });
    expect(within(list).getAllByText('Up')).toHaveLength(4);
    // An MCP server that is skipped answers nobody.
    expect(within(list).getByText('calendar')).toBeTruthy();
    expect(within(list).queryByText('forge')).toBeNull();
    const past = await screen.findByRole('region', { name: 'Past outages' });
    expect(within(past).getByText('21 min')).toBeTruthy();
    expect(within(past).getByText('7 turns')).toBeTruthy();
    expect(container.querySelector('[data-variant="filled"]')).toBeNull();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('counts 25 past outages, shows 20 of them and the others when asked', async () => {
    const { user } = open('#/outages', (seed) => {
      const [one] = seed.outside.outages;
      if (one !== undefined)
        seed.outside.outages = Array.from({ length: 25 }, (_, at) => ({
          ...one,
          outageId: at + 1,
        }));
    });
    const past = within(await screen.findByRole('region', { name: 'Past outages' }));
    expect(past.getByText('25')).toBeTruthy();
    // The head of the table is a row.
    expect(past.getAllByRole('row')).toHaveLength(1 + 20);
    await user.click(past.getByRole('button', { name: 'Show all 25' }));
    expect(past.getAllByRole('row')).toHaveLength(1 + 25);
    expect(past.queryByRole('button', { name: /Show all/ })).toBeNull();
  });

  it('says what went wrong where the outside cannot be read', async () => {
    window.location.hash = '#/outages';
    show(<RecoveryWindow />, down, (fake) =>
      fake.refuse('provider.status', 'DISK_FULL', 'The journal cannot be read.'),
    );
    expect(await screen.findByText('The journal cannot be read.')).toBeTruthy();
  });
});

describe('Home during an outage', () => {
  const busy = (seed: Seed): void => {
    down(seed);
    seed.status = { ...seed.status, tray: 'outage' };
  };

  it('S0-17 has one banner where the headline is another: since when, what waits, the next try', async () => {
    const { fake, user, container } = open('#/', (seed) => {
      busy(seed);
      seed.status = { ...seed.status, tray: 'attention' };
    });
    const banner = await screen.findByRole('region', { name: 'Outage of Office proxy' });
    expect(banner.textContent).toMatch(
      /^Office proxy has been down since .*\. 14 turns are queued, in order\. Next check (in \d+ s|now)\. See waiting turnsCheck now$/,
    );
    expect(within(banner).getByRole('link').getAttribute('href')).toBe('#/outages/office%20proxy');
    await user.click(within(banner).getByRole('button', { name: 'Check now: Office proxy' }));
    expect(fake.callsOf('outage.probe')).toEqual([{ provider: 'office proxy' }]);
    expect(screen.queryByRole('region', { name: 'Outage of Anthropic' })).toBeNull();
    // Since when, and the next try, stand in the banner.
    const waiting = await screen.findByRole('region', { name: 'Waiting' });
    expect(within(waiting).getByText('14 turns for Office proxy')).toBeTruthy();
    expect(waiting.textContent).not.toMatch(/no answer since|next try|Try now/);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S0-17 says it once where it is the headline: the row of what waits has the rest', async () => {
    const { fake, user, container } = open('#/', busy);
    const head = await screen.findByRole('heading', { name: 'Office proxy is down' });
    expect(head.parentElement?.textContent).toContain(
      '14 turns are queued in order and resume automatically when it is back.',
    );
    expect(screen.queryByRole('region', { name: 'Outage of Office proxy' })).toBeNull();
    const waiting = await screen.findByRole('region', { name: 'Waiting' });
    expect(waiting.textContent).toMatch(
      /14 turns for Office proxy down since .*next check (in \d+ s|now)Check now/,
    );
    expect(
      within(waiting).getByRole('link', { name: '14 turns for Office proxy' }).getAttribute('href'),
    ).toBe('#/outages/office%20proxy');
    await user.click(within(waiting).getByRole('button', { name: 'Check now: Office proxy' }));
    expect(fake.callsOf('outage.probe')).toEqual([{ provider: 'office proxy' }]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each<[string, Partial<External>, string, string]>([
    [
      'nothing waits: the banner stays, as there is no row',
      { waiting: 0 },
      'Office proxy is down',
      'New turns are queued and resume automatically when it is back.',
    ],
    [
      'it is back',
      { state: 'recovering', waiting: 3 },
      'Office proxy is back',
      'One turn runs first',
    ],
  ])('X-03 the headline is true where %s', async (_, facts, title, sub) => {
    open('#/', (seed) => {
      busy(seed);
      const providers = (seed.status.outside?.providers ?? []).map((one) =>
        one.provider === 'office proxy' ? { ...one, ...facts } : one,
      );
      seed.status = { ...seed.status, outside: { ...seed.status.outside!, providers } };
    });
    const head = await screen.findByRole('heading', { name: title });
    expect(head.parentElement?.textContent).toContain(sub);
    const banner = screen.queryByRole('region', { name: 'Outage of Office proxy' });
    expect(banner === null).toBe(facts.waiting !== 0);
  });

  it('S0-18 counts what waits for each provider in one row, and shows no turn twice', async () => {
    open('#/', (seed) => {
      busy(seed);
      const first = seed.turns[0]!;
      seed.turns.push({ ...first, id: 40, state: 'waiting', promptStart: 'Draft the offer' });
    });
    const waiting = await screen.findByRole('region', { name: 'Waiting' });
    await waitFor(() => expect(within(waiting).queryByText('Draft the offer')).toBeNull());
    expect(within(waiting).getByText('14 turns for Office proxy')).toBeTruthy();
    expect(within(waiting).getByText('2 turns for a usage limit')).toBeTruthy();
  });

  it('S2-20 lists the connections beside, the worst first, with the word of each', async () => {
    open('#/', busy);
    const list = await screen.findByRole('region', { name: 'Connections' });
    const rows = within(list).getAllByRole('listitem');
    expect(rows[0]?.textContent).toBe('Office proxyDown');
    expect(rows[1]?.textContent).toBe('mailChecking');
    expect(rows).toHaveLength(6);
  });

  it('asks nothing of the queue while every provider answers', async () => {
    const { fake } = open('#/', () => undefined);
    await screen.findByRole('region', { name: 'Running' });
    expect(fake.callsOf('outage.queue')).toEqual([]);
    expect(screen.queryByRole('region', { name: /^Outage of/ })).toBeNull();
  });
});

describe('the network is back', () => {
  it('S0-19 R2 asks the providers that are down at once, once for a burst of signs', async () => {
    const { fake } = open('#/outages');
    await queue();
    expect(fake.callsOf('outage.probe')).toEqual([]);
    for (let n = 0; n < 5; n++) window.dispatchEvent(new Event('online'));
    await waitFor(() => expect(fake.callsOf('outage.probe')).toHaveLength(1));
    expect(fake.callsOf('outage.probe')).toEqual([{ provider: 'office proxy' }]);
  });

  it('S0-19 R2 asks nobody while every provider answers', async () => {
    const { fake } = open('#/', () => undefined);
    await screen.findByRole('region', { name: 'Running' });
    window.dispatchEvent(new Event('online'));
    expect(fake.callsOf('outage.probe')).toEqual([]);
  });
});
