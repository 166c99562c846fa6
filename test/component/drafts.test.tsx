// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { DraftsPage } from '../../renderer/drafts/drafts-page';
import type { DiffRow } from '../../shared/types/drafts';
import { axeFindings, show } from './render';

// Nothing is laid out here: the difference is told that it has room for some thirty lines.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { configurable: true, get: () => 630 },
  clientWidth: { configurable: true, get: () => 900 },
  offsetHeight: { configurable: true, get: () => 630 },
  offsetWidth: { configurable: true, get: () => 900 },
});

const page = <DraftsPage sessionId={1} />;
const button = (name: string | RegExp): HTMLElement => screen.getByRole('button', { name });
const rowsOf = async (): Promise<string[]> => {
  const table = await screen.findByRole('table', { name: 'Difference' });
  return within(table)
    .getAllByRole('row')
    .map((row) => row.textContent.replace(/\s+/g, ' ').trim());
};

describe('the drafts of a session', () => {
  it('S3-20 puts the one that no longer fits first and says what promoting it takes out', async () => {
    const { container } = show(page);
    expect(await screen.findByRole('heading', { level: 1 })).toBeDefined();
    await screen.findByText('Three drafts, one is out of date');
    const names = within(screen.getByRole('navigation', { name: 'Drafts' }))
      .getAllByRole('button')
      .map((one) => one.textContent);
    expect(names.map((name) => /^[\w./]+?\.(?:ts|md)/.exec(name ?? '')?.[0])).toEqual([
      'test/sync.test.ts',
      'src/sync.ts',
      'CHANGELOG.md',
    ]);
    expect(names[0]).toContain('out of date');
    expect(names[1]).toContain('ready');
    expect(names[2]).toContain('identical to the file');
    await screen.findByText(/Applying the draft removes 2 newer lines, written at /);
    const rows = await rowsOf();
    expect(rows[0]).toBe('lines 12 to 16');
    expect(rows.find((row) => row.includes('keep the hash check'))).toContain('≠');
    expect(rows.some((row) => /These 2 lines are not in the draft\./.test(row))).toBe(true);
    expect(await axeFindings(container)).toEqual([]);
  });

  it('S3-20 marks newer lines only in "All three", and shows both sides beside each other', async () => {
    const { user } = show(page);
    await screen.findByText(/removes 2 newer lines/);
    await user.click(screen.getByRole('radio', { name: 'Draft and file' }));
    await waitFor(async () =>
      expect((await rowsOf()).some((row) => row.includes('≠'))).toBe(false),
    );
    await user.click(screen.getByRole('radio', { name: 'Side by side' }));
    const rows = await rowsOf();
    const changed = rows.find((row) => row.includes('await sync(file'));
    expect(changed).toContain('const job = sync(file');
  });

  it('S3-20 never promotes over newer lines with one press, and binds it to what is shown', async () => {
    const { user, fake } = show(page);
    await screen.findByText(/removes 2 newer lines/);
    await user.click(button('Apply, replaces 2 newer lines'));
    expect(fake.callsOf('drafts.promote')).toEqual([]);
    expect(document.activeElement?.textContent).toBe('Keep');
    await user.click(button('Keep'));
    expect(fake.callsOf('drafts.promote')).toEqual([]);
    await user.click(button('Apply, replaces 2 newer lines'));
    await user.click(button('Replace the file'));
    await screen.findByText('Draft applied to test/sync.test.ts.');
    expect(fake.callsOf('drafts.promote')).toEqual([
      { draftId: 2, requestHash: '2'.repeat(64), overChanged: true },
    ]);
  });

  it('S3-20 asks the agent to fit it, once, with the lines that came meanwhile; then it has them', async () => {
    const { user, fake } = show(page);
    await user.click(
      await screen.findByRole('button', { name: 'Ask Repo mender to update the draft' }),
    );
    await screen.findByText(/^Repo mender is updating the draft of test\/sync\.test\.ts\./);
    const [sent] = fake.callsOf('send') as { text: string; session: string }[];
    expect(sent?.session).toBe('tests');
    expect(sent?.text).toContain(
      'Update your draft of test/sync.test.ts to the file as it is now.',
    );
    expect(sent?.text).toContain('\n≠   // Mara: keep the hash check\n');
    expect(button('Repo mender is working on it')).toHaveProperty('disabled', true);
    // The agent has written its draft again, with those lines.
    fake.seed.drafts = fake.seed.drafts.map((one) =>
      one.draft.draftId !== 2
        ? one
        : {
            ...one,
            draft: { ...one.draft, requestHash: '9'.repeat(64) },
            summary: { added: 1, removed: 1, newer: 0, revived: 0 },
          },
    );
    act(() => fake.emit('session.changed', { sessionId: 1, seq: 1 }));
    await screen.findByText(/The draft already includes that change\./);
    expect(
      screen.queryByRole('button', { name: /to update the draft$|is working on it$/ }),
    ).toBeNull();
    expect(button('Apply over the changed file')).toBeDefined();
    expect(fake.callsOf('send')).toHaveLength(1);
  });

  it('S3-20 says why where the agent cannot be asked, and can be asked again', async () => {
    const { user, fake } = show(page);
    fake.refuse('send', 'DISK_FULL', 'The disk is full.', 'Make space, then send it again.');
    await user.click(
      await screen.findByRole('button', { name: 'Ask Repo mender to update the draft' }),
    );
    await screen.findByText(/^The disk is full\./);
    fake.allow('send');
    await user.click(button('Ask Repo mender to update the draft'));
    await screen.findByText(/^Repo mender is updating the draft/);
    expect(fake.callsOf('send')).toHaveLength(2);
  });

  it('S3-20 promotes those that fit from the head of the page, and only those', async () => {
    const { user, fake } = show(page);
    await user.click(await screen.findByRole('button', { name: 'Apply the up-to-date draft' }));
    await screen.findByText('Draft applied to src/sync.ts.');
    expect(fake.callsOf('drafts.promote')).toEqual([{ draftId: 1, requestHash: '1'.repeat(64) }]);
  });

  it('S3-20 asks before a draft is thrown away', async () => {
    const { user, fake } = show(page);
    await screen.findByText(/removes 2 newer lines/);
    await user.click(button('Discard draft'));
    expect(fake.callsOf('drafts.discard')).toEqual([]);
    await user.click(button('Discard'));
    await screen.findByText('Draft of test/sync.test.ts discarded.');
    await screen.findByText('Two drafts');
  });

  it('S3-21 a draft that is gone says so and offers no promotion', async () => {
    show(page, (seed) => {
      seed.drafts = seed.drafts.slice(0, 1).map((one) => ({
        ...one,
        kind: 'missing' as const,
        hunks: [],
        draft: { ...one.draft, state: 'draft_missing' as const },
      }));
    });
    await screen.findByText(/the draft no longer exists on disk/);
    expect(screen.queryByRole('button', { name: /^Apply draft/ })).toBeNull();
    expect(button('Discard draft')).toBeDefined();
  });

  it('S3-20 draws fewer than 120 of 4,000 lines', async () => {
    const rows = Array.from({ length: 4_000 }, (_one, at): DiffRow => ({
      kind: 'added',
      text: `line ${String(at)}`,
      draftLine: at + 1,
    }));
    show(page, (seed) => {
      seed.drafts = seed.drafts.slice(0, 1).map((one) => ({
        ...one,
        hunks: [{ fileStart: 1, draftStart: 1, rows }],
        isCut: true,
      }));
    });
    const drawn = (await rowsOf()).length;
    expect(drawn).toBeGreaterThan(10);
    expect(drawn).toBeLessThan(120);
    const table = screen.getByRole('table', { name: 'Difference' });
    expect(table.getAttribute('aria-rowcount')).toBe('4001');
    await screen.findByText(/Not everything is shown: .* has too many changed lines\./);
  });

  it('S3-20 without drafts says what drafts are', async () => {
    show(page, (seed) => {
      seed.drafts = [];
    });
    await screen.findByText(/^No staged changes\./);
  });

  it('S3-20 puts the old file back after a question, bound to what is shown; a discarded one has no way back', async () => {
    const { user, fake, container } = show(page);
    const applied = await screen.findByRole('region', { name: 'Applied' });
    expect(within(applied).getAllByRole('group')).toHaveLength(1);
    await user.click(within(applied).getByRole('button', { name: 'Undo apply' }));
    expect(fake.callsOf('drafts.restore')).toEqual([]);
    expect(document.activeElement?.textContent).toBe('Keep');
    expect(await axeFindings(container)).toEqual([]);
    await user.click(within(applied).getByRole('button', { name: 'Restore' }));
    await screen.findByText('src/server.ts is restored to its version before the draft.');
    expect(fake.callsOf('drafts.restore')).toEqual([{ draftId: 8, requestHash: '8'.repeat(64) }]);
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Applied' })).toBeNull());
  });

  it('S3-20 applies one change and discards another after a question, bound to what is shown', async () => {
    const { user, fake, container } = show(page, (seed) => {
      const [first] = seed.drafts;
      if (first === undefined) throw new Error('no draft');
      const [hunk] = first.hunks;
      if (hunk === undefined) throw new Error('no change');
      const moved = (by: number) => ({
        ...hunk,
        fileStart: hunk.fileStart + by,
        rows: hunk.rows.map((row) => ({
          ...row,
          ...(row.fileLine === undefined ? {} : { fileLine: row.fileLine + by }),
        })),
      });
      seed.drafts = [{ ...first, hunks: [hunk, moved(40), moved(80)] }];
    });
    await user.click(await screen.findByRole('button', { name: 'Apply change 2 of 3' }));
    await screen.findByText('Change applied to src/sync.ts. The other changes stay in the draft.');
    expect(fake.callsOf('drafts.promote')).toEqual([
      { draftId: 1, requestHash: '1'.repeat(64), hunks: [1] },
    ]);
    expect(await axeFindings(container)).toEqual([]);
    await user.click(await screen.findByRole('button', { name: 'Discard change 2 of 2' }));
    expect(fake.callsOf('drafts.discard')).toEqual([]);
    expect(document.activeElement?.textContent).toBe('Keep');
    await user.click(button('Discard'));
    await screen.findByText('Change discarded. src/sync.ts stays as it is.');
    expect(fake.callsOf('drafts.discard')).toEqual([
      { draftId: 1, requestHash: `f${'1'.repeat(63)}`, hunks: [1] },
    ]);
    // The one that is left is the whole draft.
    await waitFor(() => expect(screen.queryByRole('button', { name: /change 1 of/ })).toBeNull());
  });

  it('S3-20 no single change can be applied over a changed file', async () => {
    show(page, (seed) => {
      seed.drafts = seed.drafts
        .slice(1, 2)
        .map((one) => ({ ...one, hunks: [...one.hunks, ...one.hunks] }));
    });
    await screen.findByRole('button', { name: 'Discard change 1 of 2' });
    expect(screen.queryByRole('button', { name: /^Apply change/ })).toBeNull();
  });

  it('S3-20 undoes a new file after a question: it is removed, and its draft is staged again', async () => {
    const { user, fake } = show(page, (seed) => {
      const [old] = seed.decidedDrafts;
      if (old === undefined) throw new Error('no draft');
      const { keptHash: _none, ...rest } = old;
      seed.decidedDrafts = [{ ...rest, isNewFile: true }];
    });
    const applied = await screen.findByRole('region', { name: 'Applied' });
    await user.click(within(applied).getByRole('button', { name: 'Undo apply' }));
    await user.click(within(applied).getByRole('button', { name: 'Remove the file' }));
    await screen.findByText('src/server.ts is removed, and its draft is staged again.');
    expect(fake.callsOf('drafts.restore')).toHaveLength(1);
  });
});
