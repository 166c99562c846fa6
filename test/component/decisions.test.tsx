// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { DecisionsPage } from '../../renderer/decisions/decisions-page';
import { splitKey, writeSplit } from '../../renderer/parts/split-sizes';
import { HASH } from '../helpers/fake-seed';
import type { FakeBridge } from '../helpers/fake-bridge';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, command, show } from './render';

const question = () => screen.findByRole('heading', { name: 'Did send_email happen?' });

const LEFT = {
  inboxId: 901,
  turnId: 7,
  step: 8,
  pid: 21_674,
  processes: 2,
  startedAtMs: Date.UTC(2026, 2, 24, 14, 7),
  command: 'bash -c ./send-report.sh 40',
  state: 'running' as const,
  requestHash: 'e'.repeat(64),
};
/** A command of turn 7 outlived the crash, and its notice is open. */
const withCommand = (seed: Seed): void => {
  seed.processes = [LEFT];
  seed.decisions = seed.decisions.map((decision) =>
    decision.turnId === 7 ? { ...decision, processes: [LEFT] } : decision,
  );
  seed.inbox = [
    ...seed.inbox,
    {
      id: 901,
      kind: 'problem',
      turnId: 7,
      title: 'A command of turn 7 still runs after the restart',
      detail: 'Process 21674 was started before the restart.',
      createdAtMs: seed.nowMs,
    },
  ];
};

describe('BU-02 the item of a budget', () => {
  const told = (isOpen: boolean, isSpent: boolean) => (seed: Seed) => {
    seed.inbox.push({
      id: 902,
      kind: 'problem',
      ...(isSpent ? { budget: { name: 'daily', key: '' } } : {}),
      title: 'Budget daily',
      detail: 'Turns wait until tomorrow.',
      createdAtMs: seed.nowMs,
      ...(isOpen ? {} : { settledAtMs: seed.nowMs, outcome: 'allowed' }),
    });
  };
  const spent = {
    name: 'daily',
    scope: 'all',
    key: '',
    per: 'day',
    usd: 5,
    allowedUsd: 0,
    spentUsd: 5,
    state: 'spent',
  } as const;
  const withBudget = (fake: FakeBridge): void => {
    fake.answer('budgets.list', () => ({ budgets: [spent] }));
    fake.answer('budgets.allow', () => ({ ...spent, allowedUsd: 5, state: 'open' }));
  };

  it('allows as much again by one press, once it is spent', async () => {
    const page = <DecisionsPage itemId={902} />;
    const { fake, user, container } = show(page, told(true, true), withBudget);
    await user.click(await screen.findByRole('button', { name: 'Allow another $5.00' }));
    expect(fake.callsOf('budgets.allow')).toEqual([{ name: 'daily', key: '', usd: 5 }]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it.each([
    ['was answered', false, true],
    ['tells that it is nearly spent', true, false],
  ])('offers nothing where it %s', async (_what, isOpen, isSpent) => {
    show(<DecisionsPage itemId={902} />, told(isOpen, isSpent), withBudget);
    await screen.findAllByText('Turns wait until tomorrow.');
    expect(screen.queryByRole('button', { name: /Allow another/ })).toBeNull();
  });
});

describe('F3 a command that outlived the crash', () => {
  it('stands in the question about its turn, with its number, its command and three answers', async () => {
    const { fake, user, container } = show(<DecisionsPage turnId={7} />, withCommand);
    await question();
    const block = screen.getByRole('region', { name: 'Its command is still running' });
    expect(block.textContent).toContain('21674, one of 2 in its group');
    expect(block.textContent).toContain('bash -c ./send-report.sh 40');
    expect(block.textContent).toMatch(/Runningfor /);
    expect(container.querySelectorAll('[data-variant="filled"]')).toHaveLength(0);
    // Read before anything is decided: above the input, which may fill the pane.
    const input = screen.getByRole('region', { name: 'Input of step 8, send_email' });
    expect(block.compareDocumentPosition(input) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    await user.click(within(block).getByRole('button', { name: 'Wait for it' }));
    await within(block).findByText(/^You’re waiting for it\./);
    expect(fake.callsOf('recovery.waitProcess')).toEqual([
      { inboxId: 901, requestHash: 'e'.repeat(64) },
    ]);
    await user.click(within(block).getByRole('button', { name: 'End it' }));
    const over = await screen.findByRole('region', { name: 'Its command has ended' });
    expect(over.textContent).toContain('You ended it. Anything it did before that stays done.');
    expect(within(over).queryByRole('button', { name: 'End it' })).toBeNull();
    await question();
  });

  it('has a row whose pane is its own, not the question about its turn', async () => {
    const { fake, user } = show(<DecisionsPage itemId={901} />, withCommand);
    await screen.findByRole('heading', {
      name: 'A command of turn 7 still runs after the restart',
    });
    expect(screen.queryByRole('heading', { name: 'Did send_email happen?' })).toBeNull();
    const block = screen.getByRole('region', { name: 'Its command is still running' });
    expect(within(block).getByRole('link', { name: 'turn 7, step 8' })).toBeTruthy();
    await user.click(within(block).getByRole('button', { name: 'Let it run' }));
    await waitFor(() =>
      expect(fake.callsOf('recovery.leaveProcess')).toEqual([
        { inboxId: 901, requestHash: 'e'.repeat(64) },
      ]),
    );
  });
});

describe('Inbox', () => {
  it('asks a question and fills no button, focuses none', async () => {
    const { container } = show(<DecisionsPage turnId={7} />);
    await question();
    expect(container.querySelectorAll('[data-variant="filled"]')).toHaveLength(0);
    expect(document.activeElement).toBe(document.body);
  });

  it('S0-09 shows the tool, that its result is unknown, the exact input and the task', async () => {
    const { user } = show(<DecisionsPage turnId={7} />);
    const step = await screen.findByRole('region', { name: 'Step 8, send_email, outcome unknown' });
    expect(within(step).getByText('external')).toBeTruthy();
    expect(
      screen.getByText(/^The tool call started at .*\. Its outcome was never recorded\./),
    ).toBeTruthy();
    const input = within(step).getByRole('region', { name: 'Input of step 8, send_email' });
    expect(input.textContent).toContain('Tot.okafor@northcable.exampleSubject');
    await user.click(within(step).getByRole('button', { name: 'Show the exact JSON' }));
    const json = within(step).getByRole('region', { name: 'Exact input as JSON' });
    expect(json.textContent).toContain('"to": "t.okafor@northcable.example"');
    expect(within(step).getByRole('button', { name: 'Copy the JSON' })).toBeTruthy();
    expect(screen.getByText('Compare the three cable suppliers and mail the result')).toBeTruthy();
  });

  it('I4 "Mark as sent" confirms step 8 with the hash that was shown', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />);
    const button = await screen.findByRole('button', { name: 'Mark as sent' });
    expect(button.getAttribute('aria-describedby')).toBeTruthy();
    await user.click(button);
    await screen.findByText(/Marked as done\. The turn resumes/);
    expect(fake.callsOf('recovery.confirmStep')).toEqual([
      { turnId: 7, step: 8, requestHash: HASH },
    ]);
    expect(fake.callsOf('recovery.resume')).toEqual([]);
  });

  it('I4 "Send it again" resumes with the hash; its description warns of a second effect', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />);
    const button = await screen.findByRole('button', { name: 'Send it again' });
    const about = document.getElementById(button.getAttribute('aria-describedby') ?? '');
    expect(about?.textContent).toContain(
      'If the first tool call did take effect, it happens twice',
    );
    await user.click(button);
    await waitFor(() =>
      expect(fake.callsOf('recovery.resume')).toEqual([{ turnId: 7, requestHash: HASH }]),
    );
  });

  it('"Discard turn" discards, and "Skip step" stands in the menu only', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />);
    await question();
    expect(screen.queryByText('Skip step')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'More options' }));
    await user.click(await screen.findByRole('menuitem', { name: /Skip step/ }));
    await waitFor(() =>
      expect(fake.callsOf('recovery.skipStep')).toEqual([
        { turnId: 7, step: 8, requestHash: HASH },
      ]),
    );
    expect(fake.callsOf('recovery.discard')).toEqual([]);
  });

  it('discards with the hash that was shown', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />);
    await user.click(await screen.findByRole('button', { name: 'Discard turn' }));
    await waitFor(() =>
      expect(fake.callsOf('recovery.discard')).toEqual([{ turnId: 7, requestHash: HASH }]),
    );
  });

  it('I4 REQUEST_STALE does nothing, says so, and shows the facts as they are now', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />);
    const button = await screen.findByRole('button', { name: 'Send it again' });
    // Meanwhile the engine learned something: same question, other facts.
    fake.seed.decisions = fake.seed.decisions.map((open) =>
      open.turnId === 7
        ? {
            ...open,
            requestHash: '99'.repeat(32),
            reason: 'The mail server answered with a delay.',
          }
        : open,
    );
    await user.click(button);
    expect((await screen.findByRole('alert')).textContent).toContain('so nothing was done');
    await screen.findByText(/The mail server answered with a delay\./);
    await user.click(screen.getByRole('button', { name: 'Send it again' }));
    await waitFor(() =>
      expect(fake.callsOf('recovery.resume').at(-1)).toEqual({
        turnId: 7,
        requestHash: '99'.repeat(32),
      }),
    );
    expect(fake.seed.turns.find((turn) => turn.id === 7)?.state).toBe('queued');
  });

  it('shows any other refusal with its message, hint and code', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />);
    fake.refuse('recovery.discard', 'DISK_FULL', 'The disk is full.', 'Free some space.');
    await user.click(await screen.findByRole('button', { name: 'Discard turn' }));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The disk is full. Free some space. DISK_FULL');
  });

  it('W8 shows markup and direction tricks in the input as text', async () => {
    const { container } = show(<DecisionsPage turnId={7} />, (seed) => {
      const step = seed.decisions[0]?.ambiguous[0];
      if (step) step.args = '<img src=x onerror=alert(1)> \u202Egnp.exe <script>x</script>';
    });
    await question();
    expect(container.querySelector('img')).toBeNull();
    expect(container.querySelector('script')).toBeNull();
    const input = screen.getByRole('region', { name: 'Input of step 8, send_email' });
    expect(input.textContent).toContain('<img src=x onerror=alert(1)>');
    expect(within(input).getByText('U+202E').getAttribute('title')).toContain(
      'changes the text direction',
    );
  });

  it('offers "Resume" and no step answer where nothing is unknown', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />, (seed) => {
      const held = seed.decisions[0];
      if (held) held.ambiguous = [];
    });
    await user.click(await screen.findByRole('button', { name: 'Resume' }));
    expect(screen.queryByRole('button', { name: 'Mark as sent' })).toBeNull();
    await waitFor(() => expect(fake.callsOf('recovery.resume')).toHaveLength(1));
  });

  it.each([
    [4, 'Try again'],
    [5, 'Raise the limit and resume'],
  ])('turn %d offers "%s"', async (turnId, label) => {
    show(<DecisionsPage turnId={turnId} />);
    expect(await screen.findByRole('button', { name: label })).toBeTruthy();
  });

  it('a turn at its limit without a question leads to the limits in the settings', async () => {
    const { fake, user } = show(<DecisionsPage turnId={5} />, (seed) => {
      seed.decisions = seed.decisions.filter(({ kind }) => kind !== 'limit');
    });
    await user.click(await screen.findByRole('button', { name: 'Raise the limit in Settings' }));
    expect(fake.callsOf('app.openSettings')).toEqual([{ at: 'recovery/limits.turn_cost_usd' }]);
  });

  it('S4-05 shows the plan before anything is pressed', async () => {
    show(<DecisionsPage turnId={7} />);
    const plan = await screen.findByRole('region', { name: 'What happens next' });
    for (const line of ['13 reused', '1 re-read', '1 for you to decide', '1 to run']) {
      expect(within(plan).getByText(line)).toBeTruthy();
    }
  });

  it('S0-34 reminds of what is open when a person says so, and takes that back', async () => {
    const { fake, user } = show(<DecisionsPage />);
    await user.click(await screen.findByRole('button', { name: 'Remind me in…' }));
    await user.click(await screen.findByRole('menuitem', { name: '1 hour' }));
    await screen.findByText(
      /^You’ll get a notification .* if this is still open, even after a restart\.$/,
    );
    await user.click(await screen.findByRole('button', { name: /^Reminder / }));
    await user.click(await screen.findByRole('menuitem', { name: 'Remove reminder' }));
    await screen.findByText('Reminder removed.');
    expect(fake.callsOf('app.remind')).toEqual([{ afterMs: 3_600_000 }, {}]);
    expect(await screen.findByRole('button', { name: 'Remind me in…' })).toBeTruthy();
  });

  it('moves through the list with J, K and the arrows, and filters it', async () => {
    const { user } = show(<DecisionsPage />);
    const first = (await screen.findAllByRole('link', { name: /archive_mail/ }))[0];
    first?.focus();
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toContain('send_email');
    await user.keyboard('{ArrowUp}');
    expect(document.activeElement).toBe(first);
    await user.type(screen.getByRole('textbox', { name: 'Search inbox' }), 'photo');
    expect(screen.queryByRole('link', { name: /archive_mail/ })).toBeNull();
    expect(screen.getByRole('link', { name: /Resume this turn/ })).toBeTruthy();
  });

  it('J shows the next question from anywhere on the page, and answers nothing', async () => {
    const { fake, user } = show(<DecisionsPage turnId={6} />);
    await screen.findByRole('heading', { name: 'Did archive_mail happen?' });
    await user.keyboard('j');
    await screen.findByText('The mail server exited 1.8 s later', { exact: false });
    expect(window.location.hash).toBe('#/decisions/7');
    await user.keyboard('{Enter}');
    expect(fake.calls.filter((call) => /^recovery\.(?!list)/.test(call.verb))).toEqual([]);
  });

  it('says what its class of effect means and shows the three steps before it', async () => {
    show(<DecisionsPage turnId={7} />);
    await screen.findByText(/reaches outside this computer\. Holdfast can’t undo it/);
    const before = await screen.findByRole('region', { name: 'Previous steps' });
    expect(within(before).getAllByRole('row')).toHaveLength(1 + 3);
    expect(within(before).queryByText('8')).toBeNull();
  });

  it('asks about two unknown steps one by one, and offers to run both again once', async () => {
    const { fake, user } = show(<DecisionsPage turnId={7} />, (seed) => {
      const held = seed.decisions.find((open) => open.turnId === 7);
      const first = held?.ambiguous[0];
      if (held && first) held.ambiguous = [first, { ...first, index: 9, tool: 'post_message' }];
    });
    const second = await screen.findByRole('region', { name: /^Step 9, post_message/ });
    await user.click(within(second).getByRole('button', { name: 'Mark as posted' }));
    expect(fake.callsOf('recovery.confirmStep')).toEqual([
      { turnId: 7, step: 9, requestHash: HASH },
    ]);
    expect(
      screen.queryAllByRole('button', { name: 'Run the 2 unknown steps again' }).length,
    ).toBeLessThan(2);
  });

  it('puts the line between list and question where it was left, and can be reached by keys', async () => {
    writeSplit(splitKey('decisions', false), '25rem');
    const { container } = show(<DecisionsPage turnId={7} />);
    const line = await screen.findByRole('separator', { name: 'Resize the list' });
    expect(line.tabIndex).toBe(0);
    expect(container.querySelector<HTMLElement>('.split-list')?.style.flexBasis).toBe('25rem');
    window.localStorage.clear();
  });

  it('S0-10 a row of the list names the agent and its tool in one word each; the pane has the tool with its server', async () => {
    const { container } = show(<DecisionsPage turnId={7} />, (seed) => {
      seed.decisions = seed.decisions.map((one) => ({
        ...one,
        ambiguous: one.ambiguous.map((step) => ({ ...step, tool: `office.${step.tool}` })),
      }));
    });
    await screen.findByRole('heading', { level: 2, name: /happen\?$/ });
    const seconds = [...container.querySelectorAll('.entry-second')].map((one) => one.textContent);
    expect(seconds.filter((text) => text?.startsWith('Researcher · send_email · '))).toHaveLength(
      1,
    );
    expect(seconds.join()).not.toContain('office.');
    expect(container.querySelector('.split-pane')?.textContent).toContain('office.send_email');
  });

  it('W8 markup in a question is text in the list and in the pane, its direction mark a code point', async () => {
    const { container } = show(<DecisionsPage turnId={7} />, (seed) => {
      for (const open of seed.decisions) {
        if (open.turnId === 7) open.question = `Did <b>x</b>\u202E ${'y'.repeat(200)} happen?`;
      }
    });
    const link = await screen.findByRole('link', { name: /Did <b>x<\/b>\[U\+202E\]/ });
    expect(link.textContent.length).toBeLessThan(260);
    expect(container.querySelector('b')).toBeNull();
  });

  it('takes a settled question away by itself when another window answered it', async () => {
    const { fake } = show(<DecisionsPage turnId={7} />);
    await question();
    fake.seed.decisions = fake.seed.decisions.filter((open) => open.turnId !== 7);
    fake.seed.inbox = fake.seed.inbox.map((item) =>
      item.turnId === 7 ? { ...item, settledAtMs: Date.now(), outcome: 'resumed' } : item,
    );
    fake.emit('inbox.changed', { open: 3 });
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Send it again' })).toBeNull());
  });

  it.each([
    ['task', { taskId: 3 }, 'tasks.run', { taskId: 3 }],
    ['timer', { sessionId: 2, timerId: 'build' }, 'timers.run', { session: '2', id: 'build' }],
  ] as const)(
    'R11 offers "Run now" for a missed %s that is open, and runs exactly that one',
    async (_what, facts, verb, input) => {
      const { fake, user } = show(<DecisionsPage itemId={77} />, (seed) => {
        const text = { title: 'Missed: x', detail: 'It was due 2 h ago.' };
        seed.inbox.push({ id: 77, kind: 'problem', ...facts, ...text, createdAtMs: Date.now() });
      });
      await user.click(await screen.findByRole('button', { name: 'Run now' }));
      expect(fake.callsOf(verb)).toEqual([input]);
    },
  );

  it('S3-20 lists the drafts of a session after what blocks, and leads to them; nothing is decided by looking', async () => {
    const { user, fake, container } = show(<DecisionsPage />, (seed) => {
      seed.inbox = [];
      seed.decisions = [];
    });
    const drafts = await screen.findByRole('region', { name: 'Drafts to review' });
    expect(within(drafts).getAllByRole('link')).toHaveLength(1);
    // Nothing else is open: they are shown.
    expect(
      await screen.findByRole('heading', { level: 2, name: 'Repo mender has 3 drafts for you' }),
    ).toBeTruthy();
    const review = screen.getByRole('link', { name: 'Review 3 drafts' });
    expect(review.getAttribute('href')).toBe('#/drafts/1');
    expect(await axeFindings(container)).toEqual([]);
    await user.type(screen.getByRole('textbox', { name: /Search/ }), 'nothing like this');
    await waitFor(() =>
      expect(screen.queryByRole('region', { name: 'Drafts to review' })).toBeNull(),
    );
    expect(fake.callsOf('drafts.promote')).toEqual([]);
  });

  it('says in one sentence that nothing is to decide, with a command', async () => {
    show(<DecisionsPage />, (seed) => {
      seed.inbox = [];
      seed.decisions = [];
      seed.drafts = [];
    });
    expect(await screen.findByText(/^Nothing needs you\./)).toBeTruthy();
    expect(screen.getByText(command('holdfast turns review'))).toBeTruthy();
  });

  it('has no findings in axe', async () => {
    const { container } = show(<DecisionsPage turnId={7} />);
    await question();
    expect(await axeFindings(container)).toEqual([]);
  });
});
