/**
 * The menu of the tray as a person has it before them, in each of its states: every entry by its words,
 * and what choosing it does. S0-17, R5, F4, KA-05
 */
import { describe, expect, it, vi } from 'vitest';
import { createTrayController } from '../../../electron/shell/tray/tray-controller';
import { NO_EXTRAS, trayModel, type TrayExtras } from '../../../electron/shell/tray/tray-view';
import type { TrayAction, TrayRow } from '../../../electron/shell/tray/tray-row';
import type { StatusSnapshot } from '../../../shared/types';
import { AT_MS, quietSnapshot } from '../../helpers/snapshot';

const counts = (over: Partial<StatusSnapshot['counts']>) => ({
  counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0, ...over },
});

/** What choosing an entry did, as one line; nothing else may have happened. */
async function chosen(action: TrayAction, snapshot: StatusSnapshot): Promise<string> {
  const did: string[] = [];
  const note =
    (what: string) =>
    (...given: readonly unknown[]): void => {
      did.push(
        [what, ...given.filter((one) => one !== undefined).map((one) => JSON.stringify(one))].join(
          ' ',
        ),
      );
    };
  const control = createTrayController({
    holdfast: {
      call: (async (verb: string, input: unknown) => {
        // What the tray reads to draw itself is not what the entry does.
        if (!['instance.foresee', 'outage.queue'].includes(verb)) note(verb)(input);
        if (verb === 'doctor.run') return { version: '1', ok: true, checks: [] };
        return verb === 'outage.queue' ? { items: [], total: 0 } : {};
      }) as never,
      status: () => snapshot,
    },
    tray: { apply: vi.fn(), revive: vi.fn() },
    isQuiet: () => false,
    setQuiet: note('quiet'),
    open: note('open'),
    confirm: {
      stopAll: async (open) => {
        note('asks about')(open);
        return true;
      },
      copy: async () => {
        note('shows')();
        return true;
      },
      failed: note('failed'),
    },
    onQuitWanted: note('quit wanted'),
    copyText: () => note('copies')(),
    quit: note('quit'),
    locale: 'en-GB',
    log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: note('error') },
    nowMs: () => AT_MS,
  });
  control.act(action);
  await vi.waitFor(() => expect(did.length).toBeGreaterThan(0));
  await new Promise((resolve) => setTimeout(resolve, 5));
  return did.join('; ');
}

/** The menu as text: `label -> what it does`, greyed ones in brackets, entries of a submenu indented. */
async function written(
  rows: readonly TrayRow[],
  snapshot: StatusSnapshot,
  indent = '',
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const row of rows) {
    if (row.kind === 'separator') lines.push(`${indent}--`);
    else if (row.kind === 'label') lines.push(`${indent}[${row.label}]`);
    else if (row.kind === 'submenu')
      lines.push(`${indent}${row.label}:`, ...(await written(row.rows, snapshot, `${indent}  `)));
    else if (row.kind === 'action' && !row.isEnabled) lines.push(`${indent}[${row.label}]`);
    else lines.push(`${indent}${row.label} -> ${await chosen(row.action, snapshot)}`);
  }
  return lines;
}

/** As the menu says it, in the zone of whoever runs the test. */
const clock = (ms: number): string =>
  new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

const menu = (over: Partial<StatusSnapshot>, extras: Partial<TrayExtras> = {}) => {
  const snapshot = quietSnapshot(over);
  const { rows } = trayModel(snapshot, AT_MS, 'en-GB', { ...NO_EXTRAS, ...extras });
  return written(rows, snapshot);
};

const PAUSE = [
  'Pause new turns:',
  '  For 15 minutes -> intake.pause {"forMs":900000}',
  '  For 1 hour -> intake.pause {"forMs":3600000}',
  '  Until resumed -> intake.pause {}',
];
const QUIET = 'Do not disturb -> quiet true';
const OPEN = [
  'Open Holdfast -> open "index" "/"',
  'Ask an agent… -> open "quick"',
  'Settings… -> open "settings"',
  'Copy diagnostics… -> doctor.run {"toShare":true}; shows; copies',
];
const CANCEL_ALL = 'asks about 2; turns.cancelAll {}';

describe('the menu of the tray', () => {
  it('with nothing to do', async () => {
    expect(await menu({})).toEqual([
      '[All quiet]',
      '--',
      '[Cancel all turns…]',
      ...PAUSE,
      QUIET,
      '--',
      ...OPEN,
      '--',
      'Quit -> quit',
    ]);
  });

  it('F4 KA-05 at work: what a quit does, what it can wait for, and who keeps the computer awake', async () => {
    expect(
      await menu(
        {
          tray: 'working',
          ...counts({ running: 1, queued: 1 }),
          awake: { sinceMs: AT_MS - 60_000, cause: 'turns', turns: 1 },
        },
        {
          foreseen: { resume: 1, ask: 1, discard: 0, atWork: 1 },
          answers: [{ title: 'Compare the offers', route: '/turns/7' }],
        },
      ),
    ).toEqual([
      '[1 turn running, 1 turn queued]',
      '--',
      `Cancel all turns… (1 running) -> ${CANCEL_ALL}`,
      ...PAUSE,
      QUIET,
      `Let the computer sleep (kept awake since ${clock(AT_MS - 60_000)}) -> instance.letSleep {}`,
      '--',
      ...OPEN.slice(0, 2),
      'Latest answers:',
      '  Compare the offers -> open "index" "/turns/7"',
      ...OPEN.slice(2),
      '--',
      'Quit when this step completes -> quit wanted; instance.quitWhenDone {"isWanted":true}',
      'Quit (1 turn will resume on next start, 1 will need your review) -> quit',
    ]);
  });

  it('HO-02 with something that needs a person, here and on another computer, and a notification that was not shown', async () => {
    expect(
      await menu(
        {
          tray: 'attention',
          ...counts({ needsYou: 2 }),
          hosts: [
            {
              kind: 'connected',
              name: 'box',
              sinceMs: 1,
              version: '1.0.0',
              phase: 'running',
              needsYou: 1,
              running: 0,
            },
          ],
        },
        {
          decisions: [{ title: 'Was the email sent?', route: '/decisions/7' }],
          unseen: [{ title: 'Office proxy is back', route: '/outages/office' }],
        },
      ),
    ).toEqual([
      '[2 things need you, 1 thing needs you on box]',
      'Inbox (2):',
      '  Was the email sent? -> open "index" "/decisions/7"',
      '  --',
      '  Open Inbox… -> open "index" "/decisions"',
      'Office proxy is back -> open "index" "/outages/office"',
      '--',
      '1 thing needs you on box… -> open "index" "/decisions"',
      '--',
      '[Cancel all turns…]',
      ...PAUSE,
      QUIET,
      '--',
      ...OPEN,
      '--',
      'Quit -> quit',
    ]);
  });

  it('S0-17 S0-15 in an outage and with a key that was rejected', async () => {
    const provider = { waiting: 2, sentence: '' };
    expect(
      await menu(
        {
          tray: 'outage',
          ...counts({ waiting: 2 }),
          outside: {
            providers: [
              {
                ...provider,
                provider: 'office',
                state: 'down',
                downSinceMs: AT_MS - 60_000,
                nextTryAtMs: AT_MS + 60_000,
              },
              { ...provider, provider: 'anthropic', state: 'key', waiting: 0 },
            ],
            openBreakers: [],
          },
        },
        { waiting: [{ provider: 'office', title: 'Draft the offer', route: '/turns/9' }] },
      ),
    ).toEqual([
      `[Office down since ${clock(AT_MS - 60_000)}, 2 turns waiting]`,
      `Outage: Office, next check ${clock(AT_MS + 60_000)}:`,
      '  Check now -> outage.probe {"provider":"office"}',
      '  --',
      '  Draft the offer -> open "index" "/turns/9"',
      '  Show all 2 waiting turns… -> open "index" "/outages/office"',
      'Anthropic rejected the API key:',
      '  Change the key… -> open "settings" "/providers"',
      '  Show details… -> open "index" "/outages/anthropic"',
      '--',
      `Cancel all turns… -> ${CANCEL_ALL}`,
      ...PAUSE,
      QUIET,
      '--',
      ...OPEN,
      '--',
      'Quit -> quit',
    ]);
  });

  it('paused, with an update that waits and a quit that waits for a step', async () => {
    const lines = await menu({
      tray: 'paused',
      paused: {},
      update: { state: 'ready', version: '1.2.0' },
      quitsBehind: [
        { turnId: 7, tool: 'shell', hint: 'npm test', isEffect: true, startedAtMs: AT_MS - 60_000 },
      ],
    });
    expect(lines).toContain('Resume (new turns paused) -> intake.resume {}');
    expect(lines).toContain('Update to 1.2.0 is ready… -> open "settings" "/updates"');
    expect(lines.slice(-3)).toEqual([
      `[Quits when 1 step completes: npm test, since ${clock(AT_MS - 60_000)}]`,
      'Keep running -> instance.quitWhenDone {"isWanted":false}',
      'Quit -> quit',
    ]);
  });

  it('while it starts, stops or does not respond it offers nothing that needs the engine', async () => {
    for (const phase of ['starting', 'stopping', 'stopped', 'silent'] as const) {
      const lines = await menu({ phase, tray: 'stopped' });
      expect(lines.filter((line) => /intake\.|cancelAll|"quick"|outage\./.test(line))).toEqual([]);
      expect(lines.at(-1)).toBe('Quit -> quit');
    }
  });
});
