// @vitest-environment happy-dom
/** The search page: what is asked, what is shown, hostile text, keys. SR-01 */
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { RecoveryWindow } from '../../renderer/recovery-window';
import {
  EMPTY_FORM,
  foundText,
  hitPart,
  hitPlace,
  hitRoute,
  searchInput,
  type SearchForm,
  type SearchHit,
} from '../../renderer/search/search-view';
import { show } from './render';

const of = (given: Partial<SearchForm>): SearchForm => ({ ...EMPTY_FORM, words: 'disk', ...given });
const HIT: SearchHit = {
  part: 'result',
  atMs: 1_774_358_000_000,
  turnId: 12,
  title: 'Is the disk full?',
  step: 3,
  tool: 'shell.run',
  sessionId: 2,
  session: 'notes',
  agent: 'coder',
  state: 'completed',
  excerpt: 'df says the disk is full',
};

beforeEach(() => {
  window.location.hash = '#/search';
});

describe('SR-01 the fields of the page', () => {
  it.each([
    [of({}), { words: 'disk', limit: 50 }],
    [of({ words: ' "disk full" ' }), { words: '"disk full"', limit: 50 }],
    [
      of({ agent: 'coder', session: ' 3 ' }),
      { words: 'disk', limit: 50, agent: 'coder', session: '3' },
    ],
    [
      of({ state: 'failed', tool: 'shell' }),
      { words: 'disk', limit: 50, state: 'failed', tool: 'shell' },
    ],
    [of({ state: 'nonsense' }), { words: 'disk', limit: 50 }],
    [
      of({ file: '/tmp/a', cost: '0,5' }),
      { words: 'disk', limit: 50, file: '/tmp/a', minCostUsd: 0.5 },
    ],
    [of({ cost: 'much' }), { words: 'disk', limit: 50 }],
    [
      of({ since: '2026-11-01', until: '2026-11-27' }),
      {
        words: 'disk',
        limit: 50,
        sinceMs: new Date(2026, 10, 1).getTime(),
        // The whole last day.
        untilMs: new Date(2026, 10, 28).getTime(),
      },
    ],
    [of({ since: 'soon' }), { words: 'disk', limit: 50 }],
    [of({ words: 'd' }), undefined],
    [of({ words: '   ' }), undefined],
  ])('%o ask for %o', (form, input) => {
    expect(searchInput(form, 50)).toEqual(input);
  });

  it('a hit names its turn, its step and what it is; the title of a session leads there', () => {
    expect([hitPlace(HIT), hitPart(HIT), hitRoute(HIT)]).toEqual([
      'Is the disk full?',
      'Result of shell.run, step 3',
      { kind: 'turn', turnId: 12 },
    ]);
    expect(hitPlace({ ...HIT, title: '' })).toBe('Turn 12');
    const { turnId: _turn, step: _step, tool: _tool, ...rest } = HIT;
    const title: SearchHit = { ...rest, part: 'title' };
    expect([hitPlace(title), hitPart(title), hitRoute(title)]).toEqual([
      'notes',
      'Title',
      { kind: 'sessions', sessionId: 2 },
    ]);
    expect([foundText(0, true), foundText(1, true), foundText(50, false)]).toEqual([
      'No matches.',
      '1 match',
      'The newest 50 matches',
    ]);
    expect([foundText(0, true, 1), foundText(0, true, 2), foundText(3, true, 2)]).toEqual([
      '1 match on another computer.',
      '2 matches on other computers.',
      '3 matches, newest first. 2 more on other computers.',
    ]);
  });
});

describe('SR-01 the search page', () => {
  it('asks with its filters, shows hits as text, and is used by keyboard alone', async () => {
    const { fake, user } = show(<RecoveryWindow />, undefined);
    fake.answer('search.find', () => ({
      hits: [
        HIT,
        { ...HIT, turnId: 11, step: 0, excerpt: '<img src=x onerror=alert(1)> disk \u202etxt' },
      ],
      nextBefore: 7,
      notIndexed: 4,
    }));
    const field = await screen.findByRole('searchbox', { name: 'Words to find' });
    await user.type(field, 'disk');
    await user.type(screen.getByLabelText('Tool'), 'shell');
    await waitFor(() =>
      expect(fake.callsOf('search.find').at(-1)).toEqual({
        words: 'disk',
        tool: 'shell',
        limit: 50,
      }),
    );
    const list = await screen.findByRole('list', { name: 'Matches' });
    const [first, second] = within(list).getAllByRole('link');
    expect(first?.textContent).toContain('Is the disk full?Result of shell.run, step 3');
    expect(first?.querySelector('mark')?.textContent).toBe('disk');
    expect(second?.textContent).toContain('<img src=x');
    expect(second?.textContent).not.toContain('\u202e');
    expect(document.querySelector('img')).toBeNull();
    expect(screen.getByText('4 entries are not in the index yet.')).toBeTruthy();
    field.focus();
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(first);
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(second);
    await user.keyboard('{ArrowUp}{ArrowUp}');
    expect(document.activeElement).toBe(field);
    await user.click(screen.getByRole('button', { name: 'Show more' }));
    await waitFor(() =>
      expect(fake.callsOf('search.find').at(-1)).toEqual({
        words: 'disk',
        tool: 'shell',
        limit: 100,
      }),
    );
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() =>
      expect(fake.callsOf('search.find').at(-1)).toEqual({ words: 'disk', limit: 50 }),
    );
  });

  it('names the session of a hit by its title, the one that Sessions shows', async () => {
    const { fake, user } = show(<RecoveryWindow />);
    fake.answer('search.find', () => ({
      hits: [{ ...HIT, session: 'suppliers', agent: 'Researcher' }],
      notIndexed: 0,
    }));
    await user.type(await screen.findByRole('searchbox', { name: 'Words to find' }), 'disk');
    const list = await screen.findByRole('list', { name: 'Matches' });
    expect(await within(list).findByText('Researcher · Supplier comparison')).toBeTruthy();
    expect(list.textContent).not.toContain('suppliers');
  });

  it('says that nothing was found, and asks nothing for one letter', async () => {
    const { fake, user } = show(<RecoveryWindow />, undefined);
    const field = await screen.findByRole('searchbox', { name: 'Words to find' });
    await user.clear(field);
    await user.type(field, 'x');
    await user.type(field, 'y');
    await waitFor(() =>
      expect(fake.callsOf('search.find').at(-1)).toEqual({ words: 'xy', limit: 50 }),
    );
    expect(
      await screen.findByText('No matches. Try fewer words, or clear the filters.'),
    ).toBeDefined();
    expect(screen.getByText('No matches.')).toBeDefined();
    const asked = JSON.stringify(fake.callsOf('search.find'));
    expect(asked).not.toContain('"words":"x"');
  });
});
