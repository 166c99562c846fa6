// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { DecisionsPage } from '../../renderer/decisions/decisions-page';
import { ToastHost } from '../../renderer/toasts/toast-host';
import { actNow } from '../../renderer/toasts/toasts';
import { SessionPane } from '../../renderer/session/session-view';
import { TurnPage } from '../../renderer/turn/turn-page';
import type { Seed } from '../helpers/fake-seed-type';
import { axeFindings, show } from './render';

const PUSH_HASH = '51'.repeat(32);
const button = (name: string | RegExp) => screen.findByRole('button', { name });

const asCustom = (seed: Seed): void => {
  seed.approvals = seed.approvals.map((one) =>
    one.requestId === 15
      ? {
          ...one,
          kind: 'custom_tool',
          tool: 'custom.look_up_order',
          covers: 'custom.look_up_order',
        }
      : one,
  );
};

/** A line that does more than the push: it is not told where that goes. */
const asUnknown = (seed: Seed): void => {
  seed.approvals = seed.approvals.map(({ goesTo: _goesTo, ...one }) =>
    one.requestId === 15 ? { ...one, notTold: 'a hook of a commit can lead it elsewhere' } : one,
  );
};

/** The request asks for an edit of a file. */
const asEdit =
  (args: unknown) =>
  (seed: Seed): void => {
    seed.approvals = seed.approvals.map(({ goesTo: _goesTo, ...one }) =>
      one.requestId === 15
        ? { ...one, tool: 'claude.Edit', covers: 'claude.Edit', args: JSON.stringify(args) }
        : one,
    );
  };

describe('an approval in Decisions', () => {
  it('S3-06 an edit shows the lines that change as drafts do, and its exact input one click away', async () => {
    const { container } = show(
      <DecisionsPage itemId={15} />,
      asEdit({
        file_path: 'src/upload.ts',
        old_string: 'const wait = 1;\nsend();',
        new_string: 'const wait = 30;\nsend();',
      }),
    );
    const table = await screen.findByRole('table', { name: 'Input of claude.Edit' });
    expect(screen.getByText(/Edits a part of the file/).textContent).toContain('src/upload.ts');
    expect(table.getAttribute('aria-rowcount')).toBe('4');
    const exact = screen.getByText('Exact input').closest('details');
    expect(exact?.open).toBe(false);
    expect(exact?.textContent).toContain('const wait = 30;');
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S3-06 a file that is written whole is compared with the file on disk while the question is open', async () => {
    const { fake } = show(<DecisionsPage itemId={15} />, (seed) => {
      asEdit({ file_path: '/code/notes.md', content: 'one\nthree\n' })(seed);
      seed.approvals = seed.approvals.map((one) => ({ ...one, file: 'notes.md' }));
    });
    fake.answer('approvals.diff', () => ({
      path: 'notes.md',
      kind: 'text',
      hunks: [
        {
          fileStart: 1,
          draftStart: 1,
          rows: [
            { kind: 'same', text: 'one', fileLine: 1, draftLine: 1 },
            { kind: 'removed', text: 'two', fileLine: 2 },
            { kind: 'added', text: 'three', draftLine: 2 },
          ],
        },
      ],
      summary: { added: 1, removed: 1, newer: 0, revived: 0 },
      isCut: false,
      isCoarse: false,
    }));
    await screen.findByRole('heading', { name: /^Allow a change to notes\.md/ });
    const said = await screen.findByText(/Replaces the file: 1 line added, 1 removed/);
    expect(said.textContent).toContain('notes.md');
    const table = screen.getByRole('table', { name: 'Input of claude.Edit' });
    // The head and three lines: the two that stay out of the new text alone are there, too.
    expect(table.getAttribute('aria-rowcount')).toBe('4');
    expect(fake.callsOf('approvals.diff')).toContainEqual({ requestId: 15 });
  });

  it('S3-06 the line of an address ends after its @, : and /, never inside a word', async () => {
    show(<DecisionsPage itemId={15} />);
    const target = (await screen.findByText('Target')).nextElementSibling?.firstElementChild;
    const lines = target?.innerHTML.split(/<wbr[^>]*>/);
    expect(lines).toEqual(['git@', 'git.lindner.example:', 'tools/', 'uploader.git']);
  });

  it('S3-06 F3 says that it is not known where a push goes, why, and what leave is then for', async () => {
    show(<DecisionsPage itemId={15} />, asUnknown);
    await screen.findByRole('heading', {
      name: 'Allow a push to fix/upload-timeout in ~/code/uploader?',
    });
    expect(screen.getByText('Target').nextElementSibling?.textContent).toBe(
      'unknown, because a hook of a commit can lead it elsewhere. If you allow it, it can go anywhere.',
    );
  });

  it('S3-06 stands first: the question, why, the exact input, what it is bound to; nothing filled or focused', async () => {
    const { container } = show(<DecisionsPage />);
    await screen.findByRole('heading', {
      name: 'Allow a push to fix/upload-timeout in ~/code/uploader?',
    });
    const list = screen.getByRole('navigation', { name: 'Inbox items' });
    expect(within(list).getAllByRole('heading')[0]?.textContent).toMatch(/^Needs approval/);
    expect(screen.getByText('It publishes: others will see it.')).toBeTruthy();
    const input = screen.getByRole('region', { name: 'Input of shell' });
    expect(input.textContent).toContain('git push origin fix/upload-timeout');
    expect(screen.getByText('5e'.repeat(32)).closest('details')?.open).toBe(false);
    // Where "origin" leads says the repository, and what leaves this computer is external.
    expect(screen.getByText('Target').nextElementSibling?.textContent).toMatch(
      /^git@git\.lindner\.example:tools\/uploader\.gitorigin, read from the repository/,
    );
    expect(screen.getByText('Effect').nextElementSibling?.textContent).toMatch(
      /^external: reaches outside this computer\. Holdfast can’t undo it/,
    );
    expect(screen.getByText('Tool').nextElementSibling?.textContent).toBe('shell');
    expect(screen.getByRole('link', { name: 'Open turn 11' }).getAttribute('href')).toBe(
      '#/turns/11',
    );
    expect(container.querySelectorAll('[data-variant="filled"]')).toHaveLength(0);
    expect(document.activeElement).toBe(document.body);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S3-08 "Allow once" answers exactly what was shown, once', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    await user.click(await button('Allow once'));
    await screen.findByText('Allowed once. The turn continues.');
    expect(fake.callsOf('approvals.allow')).toEqual([
      { requestId: 15, requestHash: PUSH_HASH, scope: 'once' },
    ]);
    expect(
      (await screen.findAllByText('Allowed, once, for this exact call')).length,
    ).toBeGreaterThan(0);
    expect(screen.queryByRole('button', { name: 'Allow once' })).toBeNull();
  });

  it('S3-08 what was answered is said in the line of the page, in whose place it stands: nothing moves', async () => {
    const { user } = show(<DecisionsPage itemId={15} />);
    const heading = await screen.findByRole('heading', { level: 1 });
    const lines = () =>
      [...(heading.parentElement?.querySelectorAll('p') ?? [])].filter(
        (line) => !line.hidden && line.className !== 'sr-only',
      );
    expect(lines()).toHaveLength(1);
    await user.click(await button('Allow once'));
    const said = await screen.findByText(/^Allowed once\. /);
    expect(lines()).toEqual([said]);
    expect(document.activeElement).toBe(said);
  });

  it('S3-08 three rows say what each scope covers before one is chosen; once is chosen, and the button names it', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    const rows = await screen.findByRole('radiogroup', { name: 'If you allow it, for how long' });
    expect(within(rows).getAllByRole('radio')).toHaveLength(3);
    expect((within(rows).getByRole('radio', { name: /^Once/ }) as HTMLInputElement).checked).toBe(
      true,
    );
    expect(rows.textContent).toContain(
      'Each git push in this session, until the session ends; a force push still asks',
    );
    await user.click(within(rows).getByRole('radio', { name: /^This session/ }));
    expect(fake.callsOf('approvals.allow')).toEqual([]);
    await user.click(await button('Allow in this session'));
    await waitFor(() =>
      expect(fake.callsOf('approvals.allow')).toMatchObject([{ scope: 'session' }]),
    );
  });

  it('S3-08 "Always" names what it covers and the rule that it becomes, and takes two acts', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    const rows = await screen.findByRole('radiogroup', { name: 'If you allow it, for how long' });
    expect(rows.textContent).toContain('in every session and for every agent');
    expect(rows.textContent).toContain('the rule "shell.shell git push"');
    await user.click(within(rows).getByRole('radio', { name: /^Always/ }));
    expect(fake.callsOf('approvals.allow')).toEqual([]);
    await user.click(await button('Always allow git push'));
    await waitFor(() =>
      expect(fake.callsOf('approvals.allow')).toMatchObject([{ scope: 'always' }]),
    );
  });

  it('names the folder, and marks dangerous parts of a command in amber with one sentence each', async () => {
    const { container } = show(<DecisionsPage itemId={15} />, (seed) => {
      seed.approvals = seed.approvals.map((one) =>
        one.requestId === 15
          ? { ...one, args: '{"command":"sudo rm -rf build > out.log"}', covers: 'shell.shell x' }
          : one,
      );
    });
    await screen.findByRole('heading', {
      name: 'Allow sudo rm -rf build > out.log in ~/code/uploader?',
    });
    expect(screen.getByText('Folder').nextElementSibling?.textContent).toBe('~/code/uploader');
    expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      'sudo',
      '-rf',
      '> out.log',
    ]);
    const list = screen.getByRole('list', { name: 'What to look at in this command' });
    expect([...list.querySelectorAll('li')].map((one) => one.textContent)).toEqual([
      'sudo runs with the rights of another user, usually root.',
      '-rf deletes folders with everything in them, without asking.',
      '> out.log replaces what the file has now.',
    ]);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S3-08 refuses with the note; N leads to it and Ctrl Enter sends it, but never an empty one', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    await button('Deny');
    await user.keyboard('n');
    expect(document.activeElement?.tagName).toBe('TEXTAREA');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(fake.callsOf('approvals.deny')).toEqual([]);
    await user.keyboard('Not today{Control>}{Enter}{/Control}');
    // Nobody is told while the note with Undo is there.
    await screen.findByText(/until then, Undo in the note takes it back\.$/);
    expect(fake.callsOf('approvals.deny')).toEqual([]);
    act(() => actNow());
    await screen.findByText(/^Denied\. The agent gets your note/);
    expect(fake.callsOf('approvals.deny')).toEqual([
      { requestId: 15, requestHash: PUSH_HASH, note: 'Not today' },
    ]);
    expect(fake.callsOf('approvals.allow')).toEqual([]);
  });

  it('S3-08 Undo of a denial: the agent was told nothing, the question and its note are there again', async () => {
    const { fake, user } = show(
      <>
        <DecisionsPage itemId={15} />
        <ToastHost />
      </>,
    );
    await button('Deny');
    await user.keyboard('n');
    await user.keyboard('Not today');
    await user.click(await button('Deny'));
    await user.click(await button('Undo'));
    await button('Allow once');
    expect(await screen.findByDisplayValue('Not today')).toBeTruthy();
    act(() => actNow());
    expect(fake.callsOf('approvals.deny')).toEqual([]);
  });

  it('S3-08 a denial that comes too late says so: the question was answered elsewhere meanwhile', async () => {
    const { fake, user } = show(
      <>
        <DecisionsPage itemId={15} />
        <ToastHost />
      </>,
    );
    await user.click(await button('Deny'));
    fake.refuse('approvals.deny', 'REQUEST_ANSWERED', 'It was answered in Telegram.', 'See it.');
    act(() => actNow());
    expect(await screen.findByText('It was answered in Telegram.')).toBeTruthy();
  });

  it('S3-08 a question that has changed is not answered: it says so and stands there anew', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    const once = await button('Allow once');
    fake.seed.approvals = fake.seed.approvals.map((one) =>
      one.requestId === 15 ? { ...one, requestHash: '99'.repeat(32), reason: 'It deletes.' } : one,
    );
    await user.click(once);
    expect((await screen.findByRole('alert')).textContent).toContain(
      'so your answer wasn’t applied',
    );
    await screen.findByText('It deletes.');
    expect(fake.seed.approvals.find((one) => one.requestId === 15)?.answer).toBeUndefined();
  });

  it('S3-08 an answer that came from elsewhere is shown with its place', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    const once = await button('Allow once');
    fake.seed.approvals = fake.seed.approvals.map((one) =>
      one.requestId === 15
        ? { ...one, answer: 'denied', by: 'cli', note: 'Wait for review', answeredAtMs: Date.now() }
        : one,
    );
    await user.click(once);
    await screen.findByText('you, on the command line');
    expect(screen.getByText('Wait for review')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Allow once' })).toBeNull();
  });

  it('S3-07 where the engine isn’t responding nothing is claimed, and the question stays', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />);
    const once = await button('Allow once');
    fake.refuse('approvals.allow', 'NOT_RUNNING', 'Holdfast is not running.', 'Start it again.');
    await user.click(once);
    expect((await screen.findByRole('alert')).textContent).toContain('Holdfast is not running');
    expect(screen.getByRole('button', { name: 'Allow once' })).toBeTruthy();
    expect(screen.queryByText(/^Allowed/)).toBeNull();
  });

  it('S3-09 S3-11 a custom tool asks for its result; an empty one cannot be given', async () => {
    const { fake, user } = show(<DecisionsPage itemId={15} />, asCustom);
    await screen.findByRole('heading', { name: 'What did look_up_order return?' });
    const give = await button('Send the result');
    expect(give.hasAttribute('disabled')).toBe(true);
    expect(screen.queryByRole('button', { name: 'Allow once' })).toBeNull();
    await user.type(screen.getByLabelText('Result of look_up_order'), 'Order 17: sent');
    await user.click(give);
    await screen.findByText('The result is saved. The turn continues with it.');
    expect(fake.callsOf('session.customToolResult')).toEqual([
      { session: 'upload-test', requestId: 15, requestHash: PUSH_HASH, output: 'Order 17: sent' },
    ]);
  });

  it('S3-10 shows input that is no JSON and hostile as text', async () => {
    const { container } = show(<DecisionsPage itemId={15} />, (seed) => {
      asCustom(seed);
      const request = seed.approvals.find((one) => one.requestId === 15);
      if (request) request.args = '<img src=x onerror=alert(1)> \u202Egnp.exe';
    });
    await screen.findByRole('heading', { name: 'What did look_up_order return?' });
    expect(container.querySelector('img')).toBeNull();
    expect(screen.getByRole('region', { name: /^Input of/ }).textContent).toContain('<img src=x');
  });
});

describe('an approval where it happens', () => {
  const addSession = (seed: Seed): void => {
    seed.sessions.push({
      id: 11,
      key: 'upload-test',
      title: 'Fix the flaky upload test',
      agent: 'Repo mender',
      status: 'requires_action',
      stopReason: 'shell waits for your approval.',
      turns: 1,
      pendingEvents: 1,
      createdAtMs: seed.nowMs,
      lastEventAtMs: seed.nowMs,
    });
  };

  it('S3-06 the session shows the call as a card in its place, with the same answers', async () => {
    const { fake, user } = show(<SessionPane sessionId={11} />, addSession);
    const card = (
      await screen.findByText('Allow a push to fix/upload-timeout in ~/code/uploader?')
    ).closest('li');
    if (!card) throw new Error('no card');
    expect(within(card).getByRole('link', { name: 'Open in Inbox' }).getAttribute('href')).toBe(
      '#/decisions/item-15',
    );
    await user.click(within(card).getByRole('button', { name: 'Allow once' }));
    await waitFor(() =>
      expect(fake.callsOf('approvals.allow')).toEqual([
        { requestId: 15, requestHash: PUSH_HASH, scope: 'once' },
      ]),
    );
  });

  it('S3-06 the turn draws the call as waiting, not as running, and asks below', async () => {
    window.localStorage.setItem('holdfast.steps', 'table');
    try {
      const { fake, user } = show(<TurnPage turnId={11} />);
      const table = await screen.findByRole('table', { name: /steps/i });
      await waitFor(() => expect(within(table).getByText('needs approval')).toBeTruthy());
      expect(within(table).queryByText('running')).toBeNull();
      // What a person let through earlier says so.
      expect(within(table).getByText(/approved by you/)).toBeTruthy();
      const question = await screen.findByRole('region', {
        name: 'Allow a push to fix/upload-timeout in ~/code/uploader?',
      });
      await user.click(within(question).getByRole('button', { name: 'Deny' }));
      act(() => actNow());
      await waitFor(() => expect(fake.callsOf('approvals.deny')).toHaveLength(1));
    } finally {
      window.localStorage.removeItem('holdfast.steps');
    }
  });
});
