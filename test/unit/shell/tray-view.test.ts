import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { trayState } from '../../../shared/types';
import type { HostView, StatusSnapshot } from '../../../shared/types';
import { NO_EXTRAS, trayModel } from '../../../electron/shell/tray/tray-view';
import type { TrayRow } from '../../../electron/shell/tray/tray-row';
import { trayIconPath, trayVariant } from '../../../electron/shell/tray/tray-icons';
import { AT_MS, quietSnapshot } from '../../helpers/snapshot';

const counts = (over: Partial<StatusSnapshot['counts']>) => ({
  counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0, ...over },
});
const model = (over: Partial<StatusSnapshot> = {}, extras = NO_EXTRAS) =>
  trayModel(quietSnapshot(over), AT_MS, 'en-GB', extras);
const labels = (rows: readonly TrayRow[]): string[] =>
  rows.flatMap((row) => (row.kind === 'separator' ? [] : [row.label]));
const row = (rows: readonly TrayRow[], start: string): TrayRow | undefined =>
  rows.find((one) => one.kind !== 'separator' && one.label.startsWith(start));

const linked = (name: string, needsYou: number): Extract<HostView, { kind: 'connected' }> => ({
  kind: 'connected',
  name,
  sinceMs: 1,
  version: '1.0.0',
  phase: 'running',
  needsYou,
  running: 0,
});
const away = (name: string): HostView => ({
  kind: 'unreachable',
  name,
  sinceMs: AT_MS,
  why: 'refused',
  nextTryAtMs: AT_MS,
});

describe('tray tooltip', () => {
  it('HO-02 has a row for each host that needs somebody or is not seen', () => {
    const hosts = [linked('well', 0), away('\u202ebox'), linked('one', 1)];
    const shown = labels(model({ tray: 'attention', hosts }).rows);
    expect(shown).toContain('1 thing needs you on one…');
    expect(shown.find((label) => label.includes('since'))).toMatch(/^No connection to box since /);
    expect(shown.join()).not.toContain('well');
  });

  it.each([
    ['Holdfast - all quiet', {}],
    ['Holdfast - 1 thing needs you', { tray: 'attention', ...counts({ needsYou: 1 }) }],
    [
      'Holdfast - 2 things need you, 3 turns running',
      { tray: 'attention', ...counts({ needsYou: 2, running: 3 }) },
    ],
    [
      'Holdfast - can’t write to disk',
      {
        tray: 'degraded',
        journal: {
          seq: 1,
          appliedSeq: 1,
          refusal: { code: 'DISK_FULL', message: 'full', sinceMs: 1 },
        },
      },
    ],
    [
      'Holdfast - can’t read from disk',
      {
        tray: 'degraded',
        journal: {
          seq: 1,
          appliedSeq: 1,
          refusal: { code: 'DISK_FAILED', of: 'reads', message: 'error', sinceMs: 1 },
        },
      },
    ],
    [
      'Holdfast - 1 turn stopped responding, 2 turns running',
      { tray: 'degraded', lostRuns: 1, ...counts({ running: 2 }) },
    ],
    [
      'Holdfast - program files changed, restart Holdfast',
      { tray: 'degraded', programChanged: true },
    ],
    ['Holdfast - new turns paused', { tray: 'paused', paused: {} }],
    ['Holdfast - 1 thing needs you on box', { tray: 'attention', hosts: [linked('box', 1)] }],
    [
      'Holdfast - 3 things need you on 2 computers, box unreachable',
      { tray: 'attention', hosts: [linked('one', 1), away('box'), linked('two', 2)] },
    ],
    ['Holdfast - 2 computers unreachable', { tray: 'degraded', hosts: [away('a'), away('b')] }],
    [
      'Holdfast - box runs the incompatible version 0.0.9',
      {
        tray: 'degraded',
        hosts: [
          { kind: 'other_version', name: 'box', sinceMs: 1, theirs: '0.0.9', nextTryAtMs: 2 },
        ],
      },
    ],
    [
      'Holdfast - Holdfast not running on box',
      { tray: 'degraded', hosts: [{ ...linked('box', 0), phase: 'stopped' }] },
    ],
    ['Holdfast - connecting to box', { hosts: [{ kind: 'connecting', name: 'box' }] }],
    ['Holdfast - all quiet', { hosts: [linked('box', 0)] }],
    ['Holdfast - starting', { phase: 'starting' }],
    ['Holdfast - stopping, work is saved', { phase: 'stopping' }],
    ['Holdfast - not running', { phase: 'stopped' }],
  ] as [string, Partial<StatusSnapshot>][])('says %j', (tooltip, over) => {
    expect(model(over).tooltip).toBe(tooltip);
  });

  it('says what comes next where nothing waits, in the time of the locale', () => {
    const atMs = AT_MS + 14 * 60_000;
    const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(
      atMs,
    );
    const next = [{ taskId: 1, name: 'Digest', atMs, isOnce: false }];
    const schedule = { active: 1, paused: 0, missed: 0, next };
    expect(model({ schedule }).tooltip).toBe(`Holdfast - all quiet, next task ${time}`);
    expect(model({ schedule, ...counts({ running: 1 }) }).tooltip).toBe(
      'Holdfast - 1 turn running',
    );
  });

  it('says until when new turns are paused, in the time of the locale', () => {
    const untilMs = AT_MS + 60 * 60_000;
    const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(
      untilMs,
    );
    expect(model({ tray: 'paused', paused: { untilMs } }).tooltip).toBe(
      `Holdfast - new turns paused until ${time}`,
    );
  });

  it('never has more than 60 characters and names the worst fact first', () => {
    const busy = model({
      tray: 'attention',
      paused: { untilMs: AT_MS + 3_600_000 },
      configProblems: [{ message: 'x' }],
      ...counts({ needsYou: 123_456, running: 1234, queued: 99, waiting: 77, parked: 5 }),
    });
    expect(busy.tooltip.length).toBeLessThanOrEqual(60);
    expect(busy.tooltip.startsWith('Holdfast - 123,456 things need you')).toBe(true);
  });
});

describe('tray state', () => {
  it('is the engine’s own, and stopped also with a notice that could not be shown', () => {
    for (const state of trayState.options) expect(model({ tray: state }).state).toBe(state);
    const extras = { ...NO_EXTRAS, unseen: [{ title: 'Back after a crash', route: '/' }] };
    for (const phase of ['starting', 'stopping', 'stopped'] as const)
      expect(model({ phase, tray: 'stopped' }, extras).state).toBe('stopped');
  });

  it('is attention while a notice could not be shown', () => {
    const extras = {
      ...NO_EXTRAS,
      unseen: [{ title: 'Back after a crash', route: '/' }],
    };
    expect(model({}, extras).state).toBe('attention');
    expect(model({}, extras).tooltip).toBe('Holdfast - 1 notification not shown');
    expect(row(model({}, extras).rows, 'Back after')).toMatchObject({
      action: { kind: 'open', route: '/' },
    });
  });
});

describe('tray menu', () => {
  it('has the same rows in the same order while all is quiet', () => {
    expect(labels(model().rows)).toEqual([
      'All quiet',
      'Cancel all turns…',
      'Pause new turns',
      'Do not disturb',
      'Open Holdfast',
      'Ask an agent…',
      'Settings…',
      'Copy diagnostics…',
      'Quit',
    ]);
  });

  it('asks an agent and leads to the latest answers, W8 in inert letters, and to neither while nothing runs', () => {
    const answers = [
      { title: 'Tidy the notes', route: '/turns/9' },
      { title: 'a\u202Eb', route: '/turns/8' },
    ];
    const rows = model({}, { ...NO_EXTRAS, answers }).rows;
    expect(row(rows, 'Ask an agent')).toMatchObject({ action: { kind: 'ask' } });
    const latest = row(rows, 'Latest answers');
    expect(latest?.kind === 'submenu' ? latest.rows : []).toMatchObject([
      { label: 'Tidy the notes', action: { kind: 'open', route: '/turns/9' } },
      { label: expect.not.stringContaining('\u202e') as string },
    ]);
    const starting = labels(model({ phase: 'starting' }, { ...NO_EXTRAS, answers }).rows);
    expect(starting).not.toContain('Ask an agent…');
    expect(starting).not.toContain('Latest answers');
  });

  it('opens each question by itself, at most 5, and the list of all', () => {
    const decisions = Array.from({ length: 7 }, (_one, index) => ({
      title: `Was mail ${index} sent?`,
      route: `/decisions/${index + 1}`,
    }));
    const decide = row(
      model({ ...counts({ needsYou: 7 }) }, { ...NO_EXTRAS, decisions }).rows,
      'Inbox (7)',
    );
    expect(decide?.kind).toBe('submenu');
    const rows = decide?.kind === 'submenu' ? decide.rows : [];
    expect(labels(rows)).toHaveLength(6);
    expect(rows[0]).toMatchObject({
      label: 'Was mail 0 sent?',
      action: { kind: 'open', route: '/decisions/1' },
    });
    expect(row(rows, 'Open Inbox')).toMatchObject({
      action: { kind: 'open', route: '/decisions' },
    });
  });

  it('writes a title as one line of plain text, at most 60 characters', () => {
    const decisions = [{ title: `a\nb\u202Ec\u0007 ${'x'.repeat(200)}`, route: '/decisions/1' }];
    const decide = row(
      model({ ...counts({ needsYou: 1 }) }, { ...NO_EXTRAS, decisions }).rows,
      'Inbox',
    );
    const label = decide?.kind === 'submenu' ? labels(decide.rows)[0]! : '';
    expect(label.startsWith('a b c x')).toBe(true);
    expect(label.length).toBeLessThanOrEqual(60);
    expect(label).not.toMatch(/[\n\u202E\u0007]/);
  });

  it('offers to stop all turns only where there is one', () => {
    expect(row(model().rows, 'Cancel all')).toMatchObject({ isEnabled: false });
    for (const open of [{ running: 1 }, { queued: 1 }, { waiting: 1 }]) {
      expect(row(model(counts(open)).rows, 'Cancel all')).toMatchObject({ isEnabled: true });
    }
    expect(row(model(counts({ parked: 1 })).rows, 'Cancel all')).toMatchObject({
      isEnabled: false,
    });
  });

  it('pauses for 15 minutes, 1 hour or until resumed, and resumes while paused', () => {
    const pause = row(model().rows, 'Pause new turns');
    expect(
      pause?.kind === 'submenu' ? pause.rows.map((one) => one.kind === 'action' && one.action) : [],
    ).toEqual([
      { kind: 'pause', forMs: 900_000 },
      { kind: 'pause', forMs: 3_600_000 },
      { kind: 'pause' },
    ]);
    const paused = model({ paused: {}, tray: 'paused' }).rows;
    expect(row(paused, 'Pause')).toBeUndefined();
    expect(row(paused, 'Resume (new turns paused)')).toMatchObject({ action: { kind: 'resume' } });
  });

  it.each([
    [{ resume: 3, ask: 0, discard: 0, atWork: 1 }, 'Quit (3 turns will resume on next start)'],
    [{ resume: 1, ask: 0, discard: 0, atWork: 1 }, 'Quit (1 turn will resume on next start)'],
    [{ resume: 0, ask: 1, discard: 0, atWork: 1 }, 'Quit (1 turn will need your review)'],
    [
      { resume: 2, ask: 1, discard: 0, atWork: 0 },
      'Quit (2 turns will resume on next start, 1 will need your review)',
    ],
    [{ resume: 0, ask: 0, discard: 2, atWork: 2 }, 'Quit (2 turns will be discarded)'],
    [{ resume: 0, ask: 0, discard: 0, atWork: 0 }, 'Quit'],
    [undefined, 'Quit'],
  ])('F4 says of a quit what the next start does: %j', (foreseen, label) => {
    const { rows } = model(counts({ running: 9, queued: 9 }), { ...NO_EXTRAS, foreseen });
    expect(labels(rows).at(-1)).toBe(label);
  });

  it.each([
    [
      'a step would be put to a person',
      { resume: 0, ask: 1, discard: 0, atWork: 1 },
      'Quit when this step completes',
    ],
    [
      'steps would be discarded',
      { resume: 0, ask: 0, discard: 2, atWork: 2 },
      'Quit when these steps complete',
    ],
    [
      'an effect would be made again',
      { resume: 1, ask: 0, discard: 0, atWork: 1 },
      'Quit when this step completes',
    ],
    ['nothing is at work', { resume: 0, ask: 1, discard: 0, atWork: 0 }, undefined],
    ['it is not known', undefined, undefined],
  ])('F4 offers to quit when the step is done where it matters: %s', (_when, foreseen, label) => {
    const { rows } = model(counts({ running: 1 }), { ...NO_EXTRAS, foreseen });
    const offered = labels(rows).filter((one) => one.startsWith('Quit when'));
    expect(offered).toEqual(label === undefined ? [] : [label]);
    if (label !== undefined)
      expect(row(rows, label)).toMatchObject({
        action: { kind: 'quit_when_done', isWanted: true },
      });
  });

  it('F4 says what it waits for before it quits, and lets that be taken back', () => {
    const step = {
      turnId: 7,
      tool: 'shell.shell',
      hint: 'npm test',
      isEffect: true,
      startedAtMs: AT_MS - 40_000,
    };
    const shown = model(
      { ...counts({ running: 1 }), quitsBehind: [step] },
      { ...NO_EXTRAS, foreseen: { resume: 0, ask: 1, discard: 0, atWork: 1 } },
    );
    expect(shown.tooltip).toBe('Holdfast - quits when 1 step completes: npm test');
    const last = labels(shown.rows).slice(-3);
    expect(last[0]).toMatch(/^Quits when 1 step completes: npm test, since \d\d:\d\d$/);
    expect(last.slice(1)).toEqual(['Keep running', 'Quit (1 turn will need your review)']);
    expect(row(shown.rows, 'Keep running')).toMatchObject({
      action: { kind: 'quit_when_done', isWanted: false },
    });
  });

  it('KA-05 says since when it keeps the computer awake, and lets it sleep; says nothing otherwise', () => {
    const awake = { sinceMs: AT_MS - 60_000, cause: 'turns', turns: 1 } as const;
    const { rows } = model({ awake });
    expect(row(rows, 'Let the computer sleep')).toMatchObject({
      label: expect.stringMatching(
        /^Let the computer sleep \(kept awake since \d\d:\d\d\)$/,
      ) as string,
      action: { kind: 'let_sleep' },
    });
    expect(row(model().rows, 'Let the computer')).toBeUndefined();
  });

  it('checks Do not disturb', () => {
    expect(row(model({}, { ...NO_EXTRAS, isQuiet: true }).rows, 'Do not')).toMatchObject({
      isChecked: true,
    });
  });
});

describe('tray icons', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  it('has a file for every state, variant, platform and display scale', () => {
    for (const state of trayState.options) {
      for (const variant of ['light', 'dark'] as const) {
        for (const platform of ['linux', 'win32']) {
          for (const scale of [1, 1.25, 1.5, 2, 3]) {
            const path = trayIconPath(root, state, variant, platform, scale);
            expect([path, existsSync(path)]).toEqual([path, true]);
          }
        }
      }
      const template = trayIconPath(root, state, 'template', 'darwin', 1);
      expect(existsSync(template)).toBe(true);
      expect(existsSync(template.replace('.png', '@2x.png'))).toBe(true);
    }
  });

  it.each([
    ['template', { platform: 'darwin', isDark: true, desktop: '' }],
    ['light', { platform: 'win32', isDark: false, desktop: '' }],
    ['dark', { platform: 'win32', isDark: true, desktop: '' }],
    ['light', { platform: 'linux', isDark: false, desktop: 'KDE' }],
    ['dark', { platform: 'linux', isDark: false, desktop: 'ubuntu:GNOME' }],
    ['light', { platform: 'linux', isDark: true, desktop: 'GNOME', wanted: 'light' }],
    ['dark', { platform: 'win32', isDark: false, desktop: '', wanted: 'dark' }],
    ['template', { platform: 'darwin', isDark: false, desktop: '', wanted: 'dark' }],
  ] as const)('takes %s for %j', (variant, facts) => {
    expect(trayVariant({ wanted: 'auto', ...facts })).toBe(variant);
  });
});

describe('the outside in the tray', () => {
  const time = (atMs: number): string =>
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(atMs);
  const outside = (
    given: Partial<NonNullable<StatusSnapshot['outside']>['providers'][number]> = {},
  ): Pick<StatusSnapshot, 'tray' | 'outside'> => ({
    tray: 'outage',
    outside: {
      providers: [
        {
          provider: 'anthropic',
          state: 'down',
          downSinceMs: AT_MS - 12 * 60_000,
          nextTryAtMs: AT_MS + 60_000,
          waiting: 16,
          sentence: '',
          ...given,
        },
      ],
      openBreakers: [],
    },
  });

  it('S0-17 says in the tooltip who is down since when, after what needs a person', () => {
    expect(model(outside()).tooltip).toBe(
      `Holdfast - Anthropic down since ${time(AT_MS - 12 * 60_000)}`,
    );
    const { tooltip } = model({ ...outside(), ...counts({ needsYou: 2 }) });
    expect(tooltip.startsWith('Holdfast - 2 things need you')).toBe(true);
    expect(tooltip.length).toBeLessThanOrEqual(60);
  });

  const brokerDown = { broker: 'down' as const, depth: 9, deadLetters: 0, shed: 0 };
  const since = time(AT_MS - 12 * 60_000);
  const openai = {
    provider: 'openai',
    state: 'down' as const,
    downSinceMs: AT_MS - 60_000,
    waiting: 1,
    sentence: '',
  };
  it.each<[string, Partial<StatusSnapshot>]>([
    [`Anthropic down since ${since}, 4 turns waiting`, counts({ waiting: 4 })],
    [`Anthropic down since ${since}, 1 turn waiting`, counts({ waiting: 1 })],
    [`Anthropic down since ${since}, event broker down`, { delivery: brokerDown }],
    [
      `Anthropic down since ${since}, 4 wait, broker down`,
      { delivery: brokerDown, ...counts({ waiting: 4 }) },
    ],
    [
      `Anthropic down since ${since}, 16 wait, broker down`,
      { delivery: { ...brokerDown, deadLetters: 3 }, ...counts({ waiting: 16, running: 1 }) },
    ],
    [
      `Anthropic down since ${since}, 4 turns waiting`,
      counts({ waiting: 4, running: 2, queued: 3 }),
    ],
    ['2 things need you, Anthropic down, 4 wait', counts({ needsYou: 2, waiting: 4 })],
  ])('S0-17 S2-35 the tooltip says %j: what is down, and what it holds up', (said, over) => {
    const { tooltip } = model({ ...outside(), ...over });
    expect(tooltip).toBe(`Holdfast - ${said}`);
    expect(tooltip.length).toBeLessThanOrEqual(60);
  });

  it('S0-17 of two providers that are down the tooltip names the first with its time, what waits, and the second', () => {
    const [anthropic] = outside().outside?.providers ?? [];
    const providers = anthropic === undefined ? [] : [anthropic, openai];
    const { tooltip } = model({
      tray: 'outage',
      outside: { openBreakers: [], providers },
      ...counts({ waiting: 4 }),
    });
    expect(tooltip).toBe(`Holdfast - Anthropic down since ${since}, 4 wait, OpenAI down`);
  });

  it('has a line between what is asked and what is down, and none where one of them is missing', () => {
    const kinds = (over: Partial<StatusSnapshot>): string =>
      model(over)
        .rows.map((one) => (one.kind === 'separator' ? '-' : one.label.slice(0, 6)))
        .join(' ')
        .replace(/ - Cancel.*/, '');
    const asked = counts({ needsYou: 2 });
    expect(kinds({ ...outside(), ...asked })).toBe('2 thin Inbox  - Outage');
    expect(kinds(outside())).toBe('Anthro Outage');
    expect(kinds(asked)).toBe('2 thin Inbox ');
  });

  it('S0-17 has a row for it with the next try, and below it Check now', () => {
    const { rows } = model({ ...outside(), ...counts({ waiting: 16 }) });
    const outage = row(rows, 'Outage:');
    expect(outage).toMatchObject({
      kind: 'submenu',
      label: `Outage: Anthropic, next check ${time(AT_MS + 60_000)}`,
      rows: [
        {
          label: 'Check now',
          action: { kind: 'probe', provider: 'anthropic' },
          isEnabled: true,
        },
        { label: 'Show waiting turns…', action: { kind: 'open', route: '/outages/anthropic' } },
      ],
    });
  });

  it('S0-17 names the first turns that wait for it, each opens, and says how many there are', () => {
    const waiting = [
      { provider: 'anthropic', title: 'Draft the offer\u202e for Lindner', route: '/turns/4' },
      { provider: 'openai', title: 'Another queue', route: '/turns/5' },
    ];
    const rowsOf = (over: Parameters<typeof outside>[0]): unknown => {
      const found = row(
        trayModel(quietSnapshot({ ...outside(over), ...counts({ waiting: 16 }) }), AT_MS, 'en-GB', {
          ...NO_EXTRAS,
          waiting,
        }).rows,
        'Outage:',
      );
      return found?.kind === 'submenu' ? found.rows : undefined;
    };
    expect(rowsOf({})).toMatchObject([
      { label: 'Check now' },
      { kind: 'separator' },
      { label: 'Draft the offer for Lindner', action: { kind: 'open', route: '/turns/4' } },
      {
        label: 'Show all 16 waiting turns…',
        action: { kind: 'open', route: '/outages/anthropic' },
      },
    ]);
    expect(rowsOf({ waiting: 1 })).toMatchObject([{}, {}, {}, { label: 'Show waiting turns…' }]);
  });

  it.each([
    ['trying', 'Outage: Anthropic, checking now', false],
    ['recovering', 'Outage: Anthropic, is back', false],
  ] as const)('X-03 while %s the row says so and offers no probe', (state, label, isEnabled) => {
    const outage = row(model(outside({ state })).rows, 'Outage:');
    expect(outage).toMatchObject({ label, rows: [{ label: 'Check now', isEnabled }, {}] });
  });

  it('S0-15 offers the settings for a refused key, not a probe', () => {
    const { rows, tooltip } = model({ ...outside({ state: 'key' }), tray: 'attention' });
    expect(tooltip).toBe('Holdfast - Anthropic rejected the API key');
    expect(row(rows.slice(1), 'Anthropic rejected')).toMatchObject({
      rows: [{ label: 'Change the key…', action: { kind: 'settings', at: 'providers' } }, {}],
    });
  });

  it('S0-14 has no row for a limit that is used up: it only waits for its time', () => {
    expect(row(model(outside({ state: 'quota' })).rows, 'Outage:')).toBeUndefined();
  });

  it('LM-10 says how many turns continue when a usage limit resets, when, and in how long', () => {
    const limited = { state: 'quota' as const, waiting: 3, nextTryAtMs: AT_MS + 130 * 60_000 };
    const said = `Anthropic: 3 turns continue at ${time(AT_MS + 130 * 60_000)}`;
    const { tooltip, rows } = model({
      ...outside(limited),
      tray: 'idle',
      ...counts({ waiting: 3 }),
    });
    expect([tooltip, ...labels(rows)].join('\n')).toContain(`${said} (in 2 h 10 min)`);
    expect(tooltip.length).toBeLessThanOrEqual(60);
    const none = model({ ...outside({ ...limited, waiting: 0 }), tray: 'idle' });
    expect([none.tooltip, ...labels(none.rows)].join('\n')).not.toContain('continue');
  });

  it('S2-35 counts 16 waiting and 1 undelivered in one row, and opens them where they are', () => {
    const delivery = { broker: 'connected' as const, depth: 0, deadLetters: 1, shed: 0 };
    const both = model({ tray: 'degraded', delivery, ...counts({ waiting: 16 }) });
    expect(labels(both.rows)).toContain('16 waiting, 1 undelivered');
    expect(row(model({ tray: 'degraded', delivery }).rows.slice(1), '1 undelivered')).toMatchObject(
      {
        action: { kind: 'open', route: '/events/delivery' },
      },
    );
  });

  it.each([
    [{ deadLetters: 1 }, 'Holdfast - 1 event undelivered'],
    [{ deadLetters: 3 }, 'Holdfast - 3 events undelivered'],
    [{ broker: 'down' }, 'Holdfast - event broker down'],
    [{ isNearlyFull: true }, 'Holdfast - event queue nearly full'],
  ] as const)('with events as %j the tooltip says %s', (given, tooltip) => {
    const delivery = { broker: 'connected' as const, depth: 0, deadLetters: 0, shed: 0, ...given };
    expect(model({ tray: 'degraded', delivery }).tooltip).toBe(tooltip);
  });

  it('writes a name that could turn the text around in plain characters', () => {
    const { rows } = model(outside({ provider: 'of\u202efice' }));
    expect(labels(rows).join()).not.toContain('\u202e');
  });
});
