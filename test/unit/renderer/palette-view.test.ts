import { describe, expect, it } from 'vitest';
import {
  findInPalette,
  paletteItems,
  paletteSections,
  stoppable,
} from '../../../renderer/palette/palette-view';
import type { PaletteAct, PaletteItem } from '../../../renderer/palette/palette-item';
import type { PaletteFacts } from '../../../renderer/palette/palette-view';
import { markedPieces } from '../../../renderer/parts/marked-view';
import { VERBS } from '../../../shared/contract';
import { WINDOW_VERBS } from '../../../shared/verbs';
import { nightSchedule } from '../../helpers/fake-schedule';
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
    tasks: seed.schedule.tasks,
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
    case 'settings':
      return act.at === undefined ? {} : { at: act.at };
    case 'go':
    case 'resume':
    case 'confirmStopAll':
    case 'doctor':
    case 'testNotification':
    case 'keys':
    case 'searchHosts':
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

  it.each([
    ['theme', 'setting.app.theme'],
    ['limits.turn_cost_usd', 'setting.limits.turn_cost_usd'],
    ['recov', 'settings.recovery'],
  ])(
    'finds %j among the settings as %s, which an unsearched palette does not list',
    (search, id) => {
      expect(ids(findInPalette(all, search))).toContain(id);
      expect(ids(findInPalette(all, ''))).not.toContain(id);
    },
  );

  it('opens the settings window at the setting, with an input that the contract takes', () => {
    const settings = all.filter((item) => item.group === 'settings');
    expect(settings.length).toBeGreaterThan(60);
    for (const { act } of settings) {
      const given = VERBS['app.openSettings'].input().safeParse(inputOf(act));
      expect(given.success, JSON.stringify(act)).toBe(true);
    }
  });

  it('finds tasks and agents by their names', () => {
    const { tasks } = nightSchedule(NOW);
    const [task] = tasks;
    if (!task) throw new Error('no task');
    expect(findInPalette(paletteItems(facts({ tasks })), task.name)[0]).toMatchObject({
      group: 'tasks',
      act: { kind: 'go', route: { kind: 'schedule', taskId: task.id } },
    });
    expect(ids(findInPalette(all, 'repo mender'))).toContain('agent.Repo mender');
  });

  it('> finds only commands, # only turns, and #12 that turn', () => {
    const groups = (search: string): string[] => [
      ...new Set(findInPalette(all, search).map((item) => item.group)),
    ];
    expect(groups('>')).toEqual(['commands']);
    expect(groups('>pause')).toEqual(['commands']);
    expect(groups('#')).toEqual(['turns']);
    expect(findInPalette(all, '#12')[0]?.act).toEqual({
      kind: 'go',
      route: { kind: 'turn', turnId: 12 },
    });
    expect(findInPalette(all, '>zebra')).toEqual([]);
  });

  it('shows what was taken last first, once, and nothing that is gone', () => {
    const found = findInPalette(all, '', { recent: ['gone', 'setting.app.theme', 'do.doctor'] });
    expect(found.slice(0, 2).map(({ id, group }) => [id, group])).toEqual([
      ['setting.app.theme', 'recent'],
      ['do.doctor', 'recent'],
    ]);
    expect(ids(found).filter((id) => id === 'do.doctor')).toHaveLength(1);
  });

  it('W8 leads from a text in a turn to the turn, the place of the text in sight and inert', () => {
    const event = {
      id: 'j9',
      atMs: NOW,
      kind: 'step.started',
      words: `Step 3 started: shell, ${'x'.repeat(200)} invoice\u202E.pdf`,
      turnId: 7,
      step: 3,
    };
    const rows = findInPalette(all, 'invoice', {
      found: [event, { ...event, id: 'j8' }, { ...event, id: 'j7', turnId: 6 }],
    }).filter((item) => item.group === 'found');
    expect(rows.map(({ act }) => act)).toEqual([
      { kind: 'go', route: { kind: 'turn', turnId: 7 } },
      { kind: 'go', route: { kind: 'turn', turnId: 6 } },
    ]);
    expect(rows[0]?.label).toMatch(/^…x+ invoice\[U\+202E\]\.pdf$/);
  });

  it('SR-01 leads from an answer or a result with the words to its turn, once, unless an entry does', () => {
    const hit = {
      part: 'answer',
      atMs: NOW,
      turnId: 7,
      step: 3,
      sessionId: 1,
      session: 'main',
      agent: 'a',
      excerpt: `the invoice\u202E is paid`,
    } as const;
    const event = { id: 'j9', atMs: NOW, kind: 'step.started', words: 'invoice', turnId: 8 };
    const rows = findInPalette(all, 'invoice', {
      found: [event],
      hits: [hit, { ...hit, step: 1 }, { ...hit, turnId: 8 }, { ...hit, turnId: undefined }],
    }).filter((item) => item.group === 'found');
    expect(rows.map(({ act }) => act)).toEqual([
      { kind: 'go', route: { kind: 'turn', turnId: 8 } },
      { kind: 'go', route: { kind: 'turn', turnId: 7 } },
    ]);
    expect(rows[1]?.label).toBe('the invoice[U+202E] is paid');
    expect(findInPalette(all, '>invoice', { hits: [hit] })).not.toContainEqual(rows[1]);
  });

  it('marks every word of the search where it is, and nothing else', () => {
    const hits = (text: string, words: readonly string[]): string =>
      markedPieces(text, words)
        .map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text))
        .join('');
    expect(hits('Pause new turns', ['new', 'pa'])).toBe('[Pa]use [new] turns');
    expect(hits('aaa', ['aa'])).toBe('[aa]a');
    expect(hits('Nothing', ['x'])).toBe('Nothing');
    expect(hits('\u0130stanbul', ['is'])).toBe('\u0130stanbul');
  });

  it('needs all words and finds nothing for nonsense', () => {
    expect(findInPalette(all, 'pause zebra')).toEqual([]);
  });

  it('heads each group once, the best row on top', () => {
    const sections = paletteSections(findInPalette(all, 'se'));
    expect(new Set(sections.map((section) => section.group)).size).toBe(sections.length);
    expect(sections[0]?.items[0]?.label).toMatch(/^Se/);
  });

  it('HO-02 where there are other computers the last row searches them, too, and the palette asks none itself', () => {
    const row = { id: 'search.hosts', act: { kind: 'searchHosts', words: 'walrus' } };
    expect(findInPalette(all, 'walrus', { hasHosts: true }).at(-1)).toMatchObject(row);
    for (const search of ['', '>walrus', '#walrus'])
      expect(ids(findInPalette(all, search, { hasHosts: true }))).not.toContain('search.hosts');
    expect(ids(findInPalette(all, 'walrus'))).not.toContain('search.hosts');
  });
});
