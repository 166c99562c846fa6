// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SessionPane } from '../../renderer/session/session-view';
import { SessionsPage } from '../../renderer/session/sessions-page';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, command, show } from './render';

// Nothing is laid out here: the list is told that it has room for fifteen rows.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 600 },
  clientWidth: { configurable: true, get: () => 900 },
});

const many =
  (count: number) =>
  (seed: Seed): void => {
    const base = seed.turns[0];
    if (!base) throw new Error('no turn');
    seed.turns = Array.from({ length: count }, (_, at) => ({
      ...base,
      id: at + 1,
      promptStart: `Item ${at + 1}`,
      state: at % 10 === 0 ? ('failed' as const) : ('completed' as const),
    }));
  };

/** The page as it is after somebody chose the list of turns. */
const turnsOf = async (
  change?: (seed: Seed) => void,
): Promise<ReturnType<typeof show> & { readonly table: HTMLElement }> => {
  const shown = show(<SessionsPage />, change);
  await shown.user.click(await screen.findByRole('radio', { name: 'Turns' }));
  return { ...shown, table: await screen.findByRole('table', { name: 'Turns' }) };
};

describe('the list of turns', () => {
  it('draws fewer than 80 of 100,000 and asks for them page by page, never for all', async () => {
    const { table, fake } = await turnsOf(many(100_000));
    await within(table).findByText('Item 100000');
    const drawn = within(table).getAllByRole('row').length;
    expect(drawn).toBeGreaterThan(10);
    expect(drawn).toBeLessThan(80);
    expect(table.getAttribute('aria-rowcount')).toBe('-1');
    const asked = fake.callsOf('turns.list') as { limit: number }[];
    expect(asked.length).toBeLessThanOrEqual(3);
    for (const { limit } of asked) expect(limit).toBeLessThanOrEqual(300);
  });

  it('narrows by state through the engine, so that old turns are found too', async () => {
    const { fake, user } = await turnsOf(many(400));
    await user.click(screen.getByRole('radio', { name: 'Failed' }));
    await waitFor(() =>
      expect(fake.callsOf('turns.list').at(-1)).toMatchObject({ states: ['failed'] }),
    );
    const table = await screen.findByRole('table', { name: 'Turns' });
    await within(table).findByText('Item 391');
    expect(table.getAttribute('aria-rowcount')).toBe('41');
    await user.click(screen.getByRole('radio', { name: 'All' }));
  });

  it('follows a turn that changes, in its place', async () => {
    const { fake, table } = await turnsOf(many(5));
    const row = async (): Promise<HTMLElement> =>
      (await within(table).findByText('Item 3')).closest('[role="row"]') as HTMLElement;
    expect((await row()).textContent).toContain('Completed');
    fake.seed.turns = fake.seed.turns.map((turn) =>
      turn.id === 3 ? { ...turn, state: 'running' as const } : turn,
    );
    act(() => fake.emit('turn.changed', { turnId: 3, state: 'running', sessionId: 1 }));
    await waitFor(async () => expect((await row()).textContent).toContain('Running'));
    expect(within(await row()).getByRole('button', { name: 'Cancel turn: Item 3' })).toBeTruthy();
  });

  it('goes through the rows with J and K and the arrows', async () => {
    const { table, user } = await turnsOf(many(5));
    await within(table).findByText('Item 5');
    act(() => table.focus());
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toBe('Item 5');
    await user.keyboard('{ArrowDown}{ArrowDown}k');
    expect(document.activeElement?.textContent).toBe('Item 4');
  });

  it('has no findings of axe', async () => {
    const { container, table } = await turnsOf();
    await within(table).findAllByRole('cell');
    expect(await axeFindings(container)).toEqual([]);
  });
});

describe('the list of sessions', () => {
  it('stops the running turn of a session from its row', async () => {
    const { fake, user } = show(<SessionsPage />);
    await user.click(await screen.findByRole('radio', { name: 'Sessions' }));
    await user.click(
      await screen.findByRole('button', { name: 'Cancel the running turn of Reading list' }),
    );
    await waitFor(() =>
      expect(fake.callsOf('session.interrupt')).toEqual([{ session: 'reading' }]),
    );
  });
});

describe('the list of sessions', () => {
  const manySessions = (seed: Seed): void => {
    const base = seed.sessions[0];
    if (!base) throw new Error('no session');
    seed.sessions = Array.from({ length: 5_000 }, (_, at) => ({
      ...base,
      id: at + 1,
      key: `s${at + 1}`,
      title: `Session ${at + 1}`,
      status: at === 0 ? ('requires_action' as const) : ('idle' as const),
      lastEventAtMs: 1_000_000 + Math.floor(at / 3),
    }));
  };

  it('asks page by page, and says that there are more', async () => {
    const { fake } = show(<SessionsPage />, manySessions);
    const table = await screen.findByRole('table', { name: 'Sessions' });
    await within(table).findByText('Session 5000');
    expect(screen.getByText(/^More than \d+ sessions, most recently used first\.$/)).toBeTruthy();
    expect(table.getAttribute('aria-rowcount')).toBe('-1');
    const asked = fake.callsOf('sessions.list') as { limit: number }[];
    expect(asked.length).toBeLessThanOrEqual(2);
    for (const { limit } of asked) expect(limit).toBeLessThanOrEqual(300);
  });

  it('finds a session by the words of its title, the oldest of 5,000, too, and says where there is none', async () => {
    const { container, user } = show(<SessionsPage />, manySessions);
    await screen.findByText('Session 5000');
    const field = screen.getByRole('searchbox', { name: 'Search sessions' });
    await user.type(field, 'session 4999');
    await waitFor(() => expect(screen.queryByText('Session 5000')).toBeNull());
    expect(screen.getByText('Session 4999')).toBeTruthy();
    await user.keyboard('{Escape}');
    expect(await screen.findByText('Session 5000')).toBeTruthy();
    await user.type(field, 's1 nowhere');
    expect(await screen.findByText('No sessions match the search.')).toBeTruthy();
    expect(await axeFindings(container)).toEqual([]);
  });

  it('goes on to look where none that it has fits the filter: the oldest of 5,000 is found', async () => {
    const { user } = show(<SessionsPage />, manySessions);
    await screen.findByText('Session 5000');
    await user.click(screen.getByRole('radio', { name: 'Needs you' }));
    expect(await screen.findByText('Session 1')).toBeTruthy();
  });
});

describe('a session of Claude Code', () => {
  it('goes back to a terminal on its button: the command that opens it, and the one that takes it over again', async () => {
    const { container, fake, user } = show(<SessionsPage sessionId={9} />, (seed) => {
      seed.sessions = seed.sessions.map((one) =>
        one.id === 9 ? { ...one, agent: 'Site mender' } : one,
      );
    });
    await user.click(await screen.findByRole('button', { name: 'Move to terminal' }));
    const given = await screen.findByRole('region', { name: 'In a terminal' });
    await within(given).findByText(command('cd /home/mara/shop && claude --resume r'));
    expect(within(given).getByText(command('holdfast sessions attach shop --id r'))).toBeTruthy();
    expect(fake.callsOf('session.handBack')).toEqual([{ session: 'reading' }]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('says why it cannot while a turn runs', async () => {
    const { fake, user } = show(<SessionsPage sessionId={9} />, (seed) => {
      seed.sessions = seed.sessions.map((one) =>
        one.id === 9 ? { ...one, agent: 'Site mender' } : one,
      );
    });
    fake.refuse('session.handBack', 'TURN_STATE', 'Turn 9 of this session is running.');
    await user.click(await screen.findByRole('button', { name: 'Move to terminal' }));
    expect(await screen.findByText(/Turn 9 of this session is running/)).toBeTruthy();
  });
});

describe('tool calls in a chat', () => {
  const RESULT = `${Array.from({ length: 30 }, (_, at) => `line ${String(at + 1)}`).join('\n')}\n[exit code 1]`;
  type Step = Seed['steps'][number][number];
  const stepOf = (seed: Seed, over: Partial<Step>): Step => {
    const base = seed.steps[7]?.[0];
    if (!base) throw new Error('no step');
    const step: Step = { ...base, turnId: 9, state: 'completed', startedAtMs: Date.now() - 60_000 };
    delete (step as { error?: string }).error;
    return { ...step, ...over };
  };
  const prepared = (seed: Seed): void => {
    seed.events[9] =
      seed.events[9]?.map((event) => {
        if (event.stepIndex === 4)
          return {
            ...event,
            tool: 'shell.shell',
            startedAtMs: event.atMs,
            endedAtMs: event.atMs + 41_200,
          };
        if (event.stepIndex === 5)
          return { ...event, tool: 'shell.shell', startedAtMs: Date.now() - 12_400 };
        return event.stepIndex === 3
          ? { ...event, startedAtMs: event.atMs, endedAtMs: event.atMs + 130 }
          : event;
      }) ?? [];
    seed.steps[9] = [
      stepOf(seed, {
        index: 4,
        tool: 'shell.shell',
        args: '{"command":"npm test -- upload"}',
        result: RESULT,
        isTruncated: false,
      }),
      stepOf(seed, {
        index: 5,
        tool: 'shell.shell',
        state: 'started',
        args: '{"command":"npm run build"}',
        output: 'building',
      }),
      stepOf(seed, {
        index: 2,
        tool: 'files.write_file',
        args: JSON.stringify({ path: 'src/port.ts', content: 'const port = 1;' }),
        result: 'Wrote src/port.ts',
      }),
    ];
    delete seed.steps[9][1]?.result;
  };

  it('say how long each took, and of one that runs how long it has run, not the time of day', async () => {
    const shownAtMs = Date.now();
    const { container } = show(<SessionPane sessionId={9} />, prepared);
    await screen.findByText('read_file');
    const took = [...container.querySelectorAll('.chat-took')].map((one) => one.textContent ?? '');
    expect(took.slice(0, 3)).toEqual(['', '0.1 s', '41 s']);
    const [, seconds] = /^(\d+) s$/.exec(took[3] ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(12);
    expect(Number(seconds)).toBeLessThanOrEqual(13 + (Date.now() - shownAtMs) / 1_000);
    expect(container.querySelector('.chat-tool time')).toBeNull();
  });

  it('open in place with exact input, the first 20 lines of output, all on demand, and the exit code', async () => {
    const { user, container } = show(<SessionPane sessionId={9} />, prepared);
    const row = await screen.findByRole('button', { name: /npm test -- upload --repeat 20/ });
    expect(row.getAttribute('aria-expanded')).toBe('false');
    await user.click(row);
    expect(row.getAttribute('aria-expanded')).toBe('true');
    expect(await screen.findByText('npm test -- upload')).toBeTruthy();
    const output = await screen.findByRole('region', { name: 'Output' });
    expect(output.textContent).toContain('line 20');
    expect(output.textContent).not.toContain('line 21');
    expect(output.textContent).not.toContain('[exit code');
    expect(screen.getByText('exit code 1').className).toContain('ink-outage');
    await user.click(screen.getByRole('button', { name: 'Show all 30 lines' }));
    expect(screen.getByRole('region', { name: 'Output' }).textContent).toContain('line 30');
    expect(screen.getByRole('link', { name: 'Open turn 9' }).getAttribute('href')).toBe(
      '#/turns/9',
    );
    expect(await axeFindings(container)).toEqual([]);
    await user.click(row);
    expect(screen.queryByRole('region', { name: 'Output' })).toBeNull();
  });

  it('show what a running command prints, line by line, without asking for it again', async () => {
    const { fake } = show(<SessionPane sessionId={9} />, prepared);
    const live = await screen.findByRole('log', { name: 'Output so far' });
    expect(live.textContent).toBe('building');
    const asked = fake.callsOf('turns.step').length;
    act(() => fake.emit('step.output', { turnId: 9, step: 5, text: 'one\ntwo' }));
    act(() => fake.emit('step.output', { turnId: 9, step: 4, text: 'of another step' }));
    act(() => fake.emit('step.output', { turnId: 8, step: 5, text: 'of another turn' }));
    expect(live.textContent).toBe('one\ntwo');
    expect(fake.callsOf('turns.step')).toHaveLength(asked);
  });

  it('show the text of a file that was written, by its language, where there is no draft of it', async () => {
    const { user } = show(<SessionPane sessionId={9} />, prepared);
    await user.click(await screen.findByRole('button', { name: /test\/upload\.test\.ts/ }));
    const code = await screen.findByText(/port = 1;|const/);
    expect(code.closest('pre')?.textContent).toBe('const port = 1;');
    await waitFor(() => expect(document.querySelector('.code-keyword')?.textContent).toBe('const'));
  });

  it('show the lines that a write changes while its draft is staged', async () => {
    const { user, fake } = show(<SessionPane sessionId={9} />, (seed) => {
      prepared(seed);
      const [draft] = seed.drafts;
      if (!draft) throw new Error('no draft');
      seed.drafts = [
        { ...draft, draft: { ...draft.draft, path: 'src/port.ts', turnId: 9, draftId: 77 } },
      ];
    });
    await user.click(await screen.findByRole('button', { name: /test\/upload\.test\.ts/ }));
    await waitFor(() => expect(fake.callsOf('drafts.diff')).toEqual([{ draftId: 77 }]));
    expect(await screen.findByRole('table', { name: 'Difference' })).toBeTruthy();
  });
});

it('a row says what its running turn is at: the argument of its tool, since when, its last line', async () => {
  const { user } = show(<SessionsPage />, (seed) => {
    seed.sessions = seed.sessions.map((session) =>
      session.id === 9
        ? {
            ...session,
            doing: {
              step: 3,
              tool: 'shell.shell',
              purity: 'side_effect',
              hint: 'npm test',
              sinceMs: Date.now() - 12_400,
              lastLine: '41 passed',
            },
          }
        : session,
    );
  });
  // The page remembers what another test has chosen.
  await user.click(await screen.findByRole('radio', { name: 'Sessions' }));
  await user.click(await screen.findByRole('radio', { name: 'All' }));
  const at = await screen.findByText('npm test');
  expect(at.closest('.doing')?.textContent).toMatch(/^running npm test, 1[2-9] s · 41 passed$/);
});

it('a session in which something ended since it was on the screen says so in its row', async () => {
  window.localStorage.setItem('holdfast.seen', JSON.stringify({ sinceMs: 1, sessions: {} }));
  try {
    const { user } = show(<SessionsPage />);
    await user.click(await screen.findByRole('radio', { name: 'Idle' }));
    const table = await screen.findByRole('table', { name: 'Sessions' });
    expect((await within(table).findAllByText('new since you last looked')).length).toBeGreaterThan(
      0,
    );
    await user.click(screen.getByRole('radio', { name: 'All' }));
  } finally {
    window.localStorage.removeItem('holdfast.seen');
  }
});

it('the chat of a turn that waits for its model says so, and since when', async () => {
  show(<SessionPane sessionId={9} />, (seed) => {
    seed.turns = seed.turns.map((turn) =>
      turn.id === 9
        ? {
            ...turn,
            state: 'running',
            doing: {
              step: 2,
              tool: 'model',
              purity: 'llm',
              hint: 'large-1',
              sinceMs: Date.now() - 3_000,
            },
          }
        : turn,
    );
  });
  const chat = await screen.findByRole('region', { name: 'Conversation' });
  const waits = await within(chat).findByText(/^waiting for the model/);
  expect(waits.textContent).toMatch(/^waiting for the model, [3-9] s$/);
});

describe('answers in Markdown', () => {
  const answering =
    (text: string) =>
    (seed: Seed): void => {
      const events = seed.events[9];
      const answer = events?.find(({ type }) => type === 'agent.message');
      if (!events || !answer) throw new Error('no answer');
      seed.events[9] = events.map((event) => (event === answer ? { ...event, text } : event));
    };
  const TEXT = [
    '## Why',
    '',
    'It **races** with [the port](https://example.org/port).',
    '',
    '- one',
    '- two',
    '',
    '| file | lines |',
    '| --- | --- |',
    '| a.ts | 12 |',
    '',
    '```ts',
    "const port = 'free';",
    '```',
  ].join('\n');

  it('draws headings, lists, tables and code with its language', async () => {
    const { container } = show(<SessionPane sessionId={9} />, answering(TEXT));
    expect(await screen.findByRole('heading', { name: 'Why', level: 2 })).toBeTruthy();
    const answer = container.querySelector<HTMLElement>('.md');
    if (!answer) throw new Error('no answer');
    expect(
      within(answer)
        .getAllByRole('listitem')
        .map((one) => one.textContent),
    ).toEqual(['one', 'two']);
    expect(within(answer).getByRole('cell', { name: '12' })).toBeTruthy();
    expect(within(answer).getByText('races').tagName).toBe('STRONG');
    expect(within(answer).getByRole('region', { name: 'ts' }).textContent).toBe(
      "const port = 'free';",
    );
    await waitFor(() => expect(answer.querySelector('.code-keyword')?.textContent).toBe('const'));
    expect(await axeFindings(container)).toEqual([]);
  });

  it('copies a block of code and the whole answer exactly', async () => {
    const { user, container } = show(<SessionPane sessionId={9} />, answering(TEXT));
    await screen.findByRole('heading', { name: 'Why' });
    await user.click(screen.getByRole('button', { name: 'Copy code' }));
    expect(await navigator.clipboard.readText()).toBe("const port = 'free';");
    const answer = container.querySelector<HTMLElement>('.chat-answer');
    if (!answer) throw new Error('no answer');
    await user.click(within(answer).getByRole('button', { name: 'Copy answer as Markdown' }));
    expect(await navigator.clipboard.readText()).toBe(TEXT);
  });

  it('follows no link itself: it asks the shell, which shows the host first', async () => {
    const { user, fake, container } = show(<SessionPane sessionId={9} />, answering(TEXT));
    await user.click(await screen.findByRole('button', { name: 'the port' }));
    expect(fake.callsOf('app.openLink')).toEqual([{ url: 'https://example.org/port' }]);
    expect(container.querySelector('a[href*="example.org"]')).toBeNull();
  });

  it('makes no element of HTML and loads no picture', async () => {
    const { container } = show(
      <SessionPane sessionId={9} />,
      answering('<img src=x onerror=alert(1)> ![dot](https://evil.example/dot.png) \u202eabc'),
    );
    await screen.findByText(/onerror=alert/);
    expect(container.querySelector('img, script, iframe, [src]')).toBeNull();
    expect(screen.getByRole('button', { name: 'Picture: dot' })).toBeTruthy();
    expect(screen.getByText('U+202E')).toBeTruthy();
  });

  it('draws an answer as Markdown while it is being written', async () => {
    const { fake } = show(<SessionPane sessionId={9} />);
    await screen.findByText(/I will read the test first/);
    const turnId = 9;
    act(() =>
      fake.emit('turn.delta', { turnId, text: '## Half\n\n```ts\nconst a', isWithdrawn: false }),
    );
    await waitFor(() => {
      const written = document.querySelector('.provisional');
      expect(written?.querySelector('.md-heading')?.textContent).toBe('Half');
      expect(written?.querySelector('pre')?.textContent).toBe('const a');
    });
  });
});
