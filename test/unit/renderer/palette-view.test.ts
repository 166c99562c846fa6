import { describe, expect, it } from 'vitest';
import {
  findInPalette,
  paletteItems,
  paletteSections,
  stoppable,
} from '../../../renderer/palette/palette-view';
import type { PaletteAct, PaletteFacts, PaletteItem } from '../../../renderer/palette/palette-view';
import { VERBS } from '../../../shared/contract';
import { WINDOW_VERBS } from '../../../shared/verbs';
import { createSeed } from '../../helpers/fake-seed';

const NOW = Date.UTC(2026, 2, 24, 14, 31);
const facts = (change: Partial<PaletteFacts> = {}): PaletteFacts => {
  const seed = createSeed(NOW);
  return {
    status: seed.status,
    inbox: seed.inbox,
    decisions: seed.decisions,
    requests: seed.approvals,
    turns: seed.turns.filter((turn) => turn.state === 'running'),
    sessions: seed.sessions,
    agents: seed.agents,
    isMac: false,
    ...change,
  };
};
const ids = (items: readonly PaletteItem[]): string[] => items.map((item) => item.id);

/** The input that the window hands over for an act, as the host does it. */
const inputOf = (act: PaletteAct): unknown => {
  switch (act.kind) {
    case 'pause':
      return act.forMs === undefined ? {} : { forMs: act.forMs };
    case 'folder':
      return { which: act.which };
    case 'startSession':
      return { agent: act.agent };
    case 'go':
    case 'resume':
    case 'confirmStopAll':
    case 'doctor':
    case 'settings':
    case 'testNotification':
    case 'keys':
      return {};
  }
};

describe('paletteItems', () => {
  it('names only verbs of the contract that a window may call, with an input they take', () => {
    const paused = facts({ status: { ...createSeed(NOW).status, paused: {} } });
    const all = [...paletteItems(facts()), ...paletteItems(paused)];
    const withVerb = all.filter((item) => item.verb !== undefined);
    expect(withVerb.length).toBeGreaterThan(8);
    for (const { verb, act } of withVerb) {
      if (verb === undefined) continue;
      expect(WINDOW_VERBS).toContain(verb);
      expect(VERBS[verb].input().safeParse(inputOf(act)).success).toBe(true);
    }
  });

  it('runs no verb that needs a confirmation, and asks before Stop all', () => {
    const all = paletteItems(facts());
    const dangerous = all.filter(
      (item) => item.verb !== undefined && VERBS[item.verb].danger === 'confirm',
    );
    expect(dangerous).toEqual([]);
    expect(all.find((item) => item.verb === 'turns.cancelAll')?.act).toEqual({
      kind: 'confirmStopAll',
    });
    expect(all.some((item) => item.verb === 'turns.cancel')).toBe(false);
  });

  it('offers to pause or to start again, never both, and nothing of it before the engine answers', () => {
    const seed = createSeed(NOW);
    const verbs = (given: PaletteFacts): (string | undefined)[] =>
      paletteItems(given).map((item) => item.verb);
    expect(verbs(facts())).toContain('intake.pause');
    expect(verbs(facts())).not.toContain('intake.resume');
    const paused = verbs(facts({ status: { ...seed.status, paused: {} } }));
    expect(paused).toContain('intake.resume');
    expect(paused).not.toContain('intake.pause');
    const unknown = verbs(facts({ status: undefined }));
    expect(unknown.filter((verb) => verb?.startsWith('intake') ?? false)).toEqual([]);
  });

  it('offers Stop all only while a turn runs, queues or waits', () => {
    const { status } = createSeed(NOW);
    const quiet = { ...status, counts: { ...status.counts, running: 0, queued: 0, waiting: 0 } };
    expect(stoppable(status)).toBeGreaterThan(0);
    expect(ids(paletteItems(facts({ status: quiet })))).not.toContain('do.stopAll');
  });

  it('leads a decision to its page and leaves out agents that cannot run', () => {
    const all = paletteItems(facts());
    const decision = all.find((item) => item.label === 'Did send_email happen?');
    expect(decision?.about).toBe('Compare the three cable suppliers and mail the result');
    expect(decision?.act).toEqual({ kind: 'go', route: { kind: 'decisions', turnId: 7 } });
    expect(ids(all)).toContain('do.session.Researcher');
    expect(ids(all)).not.toContain('do.session.Repo mender');
  });

  it('W8 shows titles from outside as one inert line', () => {
    const [session] = createSeed(NOW).sessions;
    if (!session) throw new Error('no session');
    const all = paletteItems(
      facts({ sessions: [{ ...session, title: `a\n\u202Eb ${'x'.repeat(300)}` }] }),
    );
    const label = all.find((item) => item.group === 'sessions')?.label ?? '';
    expect(label).toMatch(/^a \[U\+202E\]b x+…$/);
    expect(label.length).toBeLessThanOrEqual(100);
  });
});

describe('findInPalette', () => {
  const all = paletteItems(facts());

  it('shows five sessions before a search, and all of them in one', () => {
    const [session] = createSeed(NOW).sessions;
    if (!session) throw new Error('no session');
    const many = paletteItems(
      facts({
        sessions: Array.from({ length: 20 }, (_one, at) => ({
          ...session,
          id: 100 + at,
          title: `Report ${String(at)}`,
        })),
      }),
    );
    const isSession = (item: PaletteItem): boolean => item.group === 'sessions';
    expect(findInPalette(many, '').filter(isSession)).toHaveLength(5);
    expect(findInPalette(many, 'report').filter(isSession)).toHaveLength(20);
  });

  it.each([
    ['inbo', 'page.decisions'],
    ['DOCTOR', 'do.doctor'],
    ['intake pause hour', 'do.pause1h'],
    ['cancel all', 'do.stopAll'],
    ['stop all', 'do.stopAll'],
    ['decisions', 'page.decisions'],
    ['all checks', 'do.doctor'],
    ['data directory', 'do.folder.data'],
  ])('finds %j first as %s', (search, id) => {
    expect(findInPalette(all, search)[0]?.id).toBe(id);
  });

  it('needs all words and finds nothing for nonsense', () => {
    expect(findInPalette(all, 'pause zebra')).toEqual([]);
  });

  it('heads each group once, the best row on top', () => {
    const sections = paletteSections(findInPalette(all, 'se'));
    expect(new Set(sections.map((section) => section.group)).size).toBe(sections.length);
    expect(sections[0]?.items[0]?.label).toMatch(/^Se/);
  });
});
