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

  const one = (target: 'empty' | 'app', isHidden: boolean, until: 'icon' | 'ready' = 'ready') =>
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
        const memoryMb =
          isHidden && until === 'ready' ? await settledMb(started.child.pid) : Number.NaN;
        await started.kill();
        return { ms: started.firstLineMs, memoryMb };
      } finally {
        await desktop.stop();
      }
    });

  const rounds = await collect(repeats, async () => ({
    emptyReady: await one('empty', true),
    icon: await one('app', true, 'icon'),
    tray: await one('app', true),
    emptyShown: await one('empty', false),
    shown: await one('app', false),
  }));
  const all = (
    name: 'emptyReady' | 'icon' | 'tray' | 'emptyShown' | 'shown',
    what: 'ms' | 'memoryMb',
  ) => rounds.map((round) => round[name][what]);
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
    { name: 'empty app, ready', value: median(all('emptyReady', 'ms')), unit: 'ms' },
    { name: 'Holdfast, icon in the tray', value: median(all('icon', 'ms')), unit: 'ms' },
    ratio('icon in the tray / empty app ready', all('icon', 'ms'), all('emptyReady', 'ms'), 1.25),
    { name: 'Holdfast, engine runs', value: median(all('tray', 'ms')), unit: 'ms' },
    ratio('engine runs / empty app ready', all('tray', 'ms'), all('emptyReady', 'ms'), 1.25),
    { name: 'empty app, window shown', value: median(all('emptyShown', 'ms')), unit: 'ms' },
    { name: 'Holdfast, window shown', value: median(all('shown', 'ms')), unit: 'ms' },
    ratio('window shown / empty window', all('shown', 'ms'), all('emptyShown', 'ms'), 1.4),
    {
      name: 'empty app, all processes (PSS)',
      value: median(all('emptyReady', 'memoryMb')),
      unit: 'MB',
    },
    { name: 'Holdfast in the tray (PSS)', value: median(all('tray', 'memoryMb')), unit: 'MB' },
    ratio('in the tray / empty app', all('tray', 'memoryMb'), all('emptyReady', 'memoryMb'), 1.2),
  );
}
