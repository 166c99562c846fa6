import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isRunnable } from '../shell/runnable';

/** Programs that support the DevTools protocol over a pipe, in order of preference. */
const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
  'brave-browser',
  'brave',
];

/** A tray app often starts without a terminal's PATH, so these folders are searched too. */
const FOLDERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/usr/local/bin', '/usr/bin', '/opt/google/chrome', '/opt/brave.com/brave'],
  darwin: ['/opt/homebrew/bin', '/usr/local/bin'],
};

const OTHERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    '/Applications/Brave Browser.app/Contents/MacOS/Brave Browser',
  ],
};

/** Path of a browser, or why there is none. */
export type FoundBrowser =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

const HOW_TO_INSTALL =
  'Install Chromium (on Debian: sudo apt install chromium) or set browser.command to a browser.';

/**
 * Finds the installed Chromium: the configured `command`, otherwise the first one on PATH and in
 * the usual folders. Snap packages are skipped, because they cannot use Holdfast's folder. A few
 * dozen file checks, no process. S2-18
 */
export function findBrowser(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): FoundBrowser {
  const onPath = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(isAbsolute);
  if (command !== '') {
    const candidates = isAbsolute(command) ? [command] : onPath.map((at) => join(at, command));
    const path = candidates.find(isRunnable);
    return path === undefined
      ? {
          kind: 'missing',
          reason: `The browser of the setting browser.command was not found or cannot be run: ${command.slice(0, 200)}. Correct the setting.`,
        }
      : { kind: 'found', path };
  }
  const folders = [...new Set([...onPath, ...(FOLDERS[platform] ?? [])])];
  const endings = platform === 'win32' ? ['.exe'] : [''];
  const windows = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => {
    const at = platform === 'win32' ? env[name] : undefined;
    return at === undefined
      ? []
      : [
          join(at, 'Google/Chrome/Application/chrome.exe'),
          join(at, 'Chromium/Application/chrome.exe'),
          join(at, 'Microsoft/Edge/Application/msedge.exe'),
        ];
  });
  const named = NAMES.flatMap((name) =>
    folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))),
  );
  const path = [...named, ...(OTHERS[platform] ?? []), ...windows].find(
    (candidate) => isRunnable(candidate) && !isSnap(candidate),
  );
  return path === undefined
    ? { kind: 'missing', reason: `Chromium was not found on this computer. ${HOW_TO_INSTALL}` }
    : { kind: 'found', path };
}

function isSnap(file: string): boolean {
  try {
    const real = realpathSync(file);
    return file.startsWith('/snap/') || real.startsWith('/snap/') || real === '/usr/bin/snap';
  } catch {
    return false; // Just deleted: starting it will fail with the reason.
  }
}
