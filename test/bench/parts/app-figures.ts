/**
 * The app in Electron beside an empty Electron app: icon in the tray, tray ready (the engine runs),
 * window shown, memory in the tray.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, median, medianRatio } from './numbers';
import { inFolder, proportionalMb, startAndWait } from './programs';
import type { Figure, Report } from './report';

const appDir = fileURLToPath(new URL('../../', import.meta.url));
/** After this the processes have settled. */
const SETTLE_MS = 4_000;

const EMPTY_APP = `const { app, BrowserWindow } = require('electron');
const say = (what) => process.stdout.write(what + '\\n');
app.whenReady().then(() => {
  if (process.argv.includes('--hidden')) return say('ready');
  const window = new BrowserWindow({ show: false });
  window.once('ready-to-show', () => { window.show(); say('shown'); });
  window.loadURL('data:text/html,<p>empty</p>');
});
app.on('window-all-closed', () => undefined);
`;

/** Says when a window of the app becomes visible; the app itself prints nothing. */
const PROBE = `const { app } = require('electron');
const say = () => process.stdout.write('shown\\n');
app.on('browser-window-created', (_event, window) => window.once('show', say));
`;

/** Every process below `root`, and itself. */
function family(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // it has just ended
    }
  }
  const found = [root];
  for (const pid of found) {
    for (const [child, parent] of parents) if (parent === pid) found.push(child);
  }
  return found;
}

/** What is started, and how long it is watched. */
interface Run {
  readonly isHidden?: boolean;
  /** The icon is in the tray, or the engine runs. */
  readonly until?: 'icon' | 'ready';
  /** Its memory is read once its processes have settled. */
  readonly isSettled?: boolean;
}

async function settledMb(pid: number | undefined): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return family(pid ?? 0).reduce((sum, one) => sum + (proportionalMb(one) || 0), 0);
}

export async function addAppFigures(report: Report, repeats: number): Promise<void> {
  const section = 'App in Electron';
  const electron = process.env['HOLDFAST_TEST_ELECTRON'];
  if (electron === undefined || process.platform !== 'linux') {
    report.add(section, { name: 'start and memory', value: undefined, unit: '', note: 'needs Electron and a display on Linux' }); // prettier-ignore
    return;
  }
  const { startFakeDesktop } = await import('../../helpers/fake-desktop');
  const flags = (process.env['HOLDFAST_TEST_ELECTRON_FLAGS'] ?? '').split(' ').filter(Boolean);

  const one = (
    target: 'empty' | 'app',
    { isHidden = true, until = 'ready', isSettled = false }: Run = {},
  ) =>
    inFolder(async (dir) => {
      const at = (name: string): string => path.join(dir, name);
      for (const name of ['run', 'tmp', 'config', 'empty', 'data']) {
        fs.mkdirSync(at(name), { mode: 0o700 });
      }
      fs.writeFileSync(at('empty/package.json'), '{"name":"empty","main":"main.cjs"}');
      fs.writeFileSync(at('empty/main.cjs'), EMPTY_APP);
      fs.writeFileSync(at('probe.cjs'), PROBE);
      const desktop = await startFakeDesktop({ dir: at('run') });
      const env = {
        ...process.env,
        TMPDIR: at('tmp'),
        XDG_CONFIG_HOME: at('config'),
        XDG_RUNTIME_DIR: at('run'),
        HOLDFAST_HOME: at('data'),
        HOLDFAST_NO_RELAUNCH: '1',
        ...desktop.env,
      };
      const hidden = isHidden ? ['--hidden'] : [];
      try {
        const started = await startAndWait(
          target === 'empty'
            ? [electron, ...flags, at('empty'), ...hidden]
            : [
                electron,
                ...flags,
                '-r',
                at('probe.cjs'),
                appDir,
                '--data-dir',
                at('data'),
                ...hidden,
              ],
          env,
          // In the tray the app says nothing: its icon on the desktop does.
          target !== 'app' || !isHidden
            ? undefined
            : until === 'icon'
              ? desktop.trayItems(1, 30_000)
              : desktop.inTray(1, 30_000),
        );
        const memoryMb = isSettled ? await settledMb(started.child.pid) : Number.NaN;
        await started.kill();
        return { ms: started.firstLineMs, memoryMb };
      } finally {
        await desktop.stop();
      }
    });

  const starts = await collect(repeats, async () => ({
    emptyReady: (await one('empty')).ms,
    icon: (await one('app', { until: 'icon' })).ms,
    tray: (await one('app')).ms,
    emptyShown: (await one('empty', { isHidden: false })).ms,
    shown: (await one('app', { isHidden: false })).ms,
  }));
  // Not in the same rounds: the start after some idle seconds takes half as long again as the one
  // after another start, whichever app it is.
  const settled = await collect(repeats, async () => ({
    empty: (await one('empty', { isSettled: true })).memoryMb,
    app: (await one('app', { isSettled: true })).memoryMb,
  }));
  const ms = (name: keyof (typeof starts)[number]) => starts.map((round) => round[name]);
  const megabytes = (name: keyof (typeof settled)[number]) => settled.map((round) => round[name]);
  const ratio = (
    name: string,
    ours: readonly number[],
    floor: readonly number[],
    limit: number,
  ): Figure => ({
    name,
    value: medianRatio(ours, floor),
    unit: '×',
    budget: { sense: '<=', limit },
  });
  report.add(
    section,
    { name: 'empty app, ready', value: median(ms('emptyReady')), unit: 'ms' },
    { name: 'Holdfast, icon in the tray', value: median(ms('icon')), unit: 'ms' },
    ratio('icon in the tray / empty app ready', ms('icon'), ms('emptyReady'), 1.25),
    { name: 'Holdfast, engine runs', value: median(ms('tray')), unit: 'ms' },
    ratio('engine runs / empty app ready', ms('tray'), ms('emptyReady'), 1.25),
    { name: 'empty app, window shown', value: median(ms('emptyShown')), unit: 'ms' },
    { name: 'Holdfast, window shown', value: median(ms('shown')), unit: 'ms' },
    ratio('window shown / empty window', ms('shown'), ms('emptyShown'), 1.4),
    {
      name: 'empty app, all processes (PSS)',
      value: median(megabytes('empty')),
      unit: 'MB',
    },
    { name: 'Holdfast in the tray (PSS)', value: median(megabytes('app')), unit: 'MB' },
    ratio('in the tray / empty app', megabytes('app'), megabytes('empty'), 1.2),
  );
}
