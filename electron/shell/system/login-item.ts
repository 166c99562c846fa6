/**
 * Start at login. On Linux Electron's own call does nothing, so we write the XDG autostart file;
 * changes that the user made to it with the desktop's own tools are respected.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from 'electron';
import { makeFolderSync } from '../../disk/durable-folder';
import { removeDurablySync, writeDurablySync } from '../../disk/durable-file';
import { sweepBeside } from '../../disk/sweep';

/** Marks our file, as opposed to a file of the same name from another source. */
const MARKER = 'X-Holdfast-Managed=true';

/** One argument of `Exec=`, quoted by the rules of the Desktop Entry Specification. */
export function quoteExec(argument: string): string {
  if (/^[A-Za-z0-9_\-./=:,@+]+$/.test(argument)) return argument;
  const quoted = argument.replace(/["`$\\]/g, (character) => `\\${character}`);
  // A backslash is itself escaped once more as a string value; `%` starts a field code.
  return `"${quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%')}"`;
}

export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Holdfast',
    'Comment=Keeps the work of AI agents alive',
    `Exec=${command.map(quoteExec).join(' ')}`,
    // Once the app is removed the desktop leaves the entry alone instead of failing at each login.
    `TryExec=${(command[0] ?? '').replaceAll('\\', '\\\\')}`,
    'Terminal=false',
    'StartupNotify=false',
    'X-GNOME-Autostart-enabled=true',
    MARKER,
    '',
  ].join('\n');
}

type AutostartPlan = 'write' | 'remove' | 'leave';

/** Whether the desktop's own tools have switched the entry off. */
const isSwitchedOff = (content: string): boolean =>
  /^\s*Hidden\s*=\s*true\s*$/im.test(content) ||
  /^\s*X-GNOME-Autostart-enabled\s*=\s*false\s*$/im.test(content);

/**
 * `isAsked` is true if the user has just set the switch here; at a start the desktop's tools take
 * precedence.
 */
export function planAutostart(
  isWanted: boolean,
  isAsked: boolean,
  existing: string | undefined,
  entry: string,
): AutostartPlan {
  const isOurs = existing?.includes(MARKER) === true;
  if (!isWanted) return isOurs ? 'remove' : 'leave';
  if (existing === undefined) return 'write';
  if (isSwitchedOff(existing) && !isAsked) return 'leave';
  if (!isOurs && !isAsked) return 'leave';
  return existing === entry ? 'leave' : 'write';
}

interface LoginItemDeps {
  readonly app: Pick<App, 'setLoginItemSettings' | 'getLoginItemSettings'>;
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Executable and the arguments it needs to find the app; nothing else. */
  readonly command: readonly string[];
  /** Set if D is not the default: the start at login has to find the same D. */
  readonly dataDir: string | undefined;
}

export interface LoginItem {
  apply(isWanted: boolean, isAsked: boolean): void;
  facts(): { readonly supported: boolean; readonly enabled: boolean; readonly path: string };
}

export function createLoginItem(deps: LoginItemDeps): LoginItem {
  const [executable = '', ...rest] = deps.command;
  const args = ['--hidden', ...(deps.dataDir === undefined ? [] : ['--data-dir', deps.dataDir])];
  const path = join(
    deps.env['XDG_CONFIG_HOME'] || join(deps.home, '.config'),
    'autostart',
    'holdfast.desktop',
  );
  // An AppImage runs from a mount that disappears at logout, so the entry names the file itself.
  const entry = autostartEntry([
    ...(deps.env['APPIMAGE'] ? [deps.env['APPIMAGE']] : [executable, ...rest]),
    ...args,
  ]);
  const read = (): string | undefined => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined; // Not there.
    }
  };
  if (deps.platform !== 'linux') {
    const settings = { path: executable, args: [...rest, ...args] };
    return {
      apply: (isWanted) => deps.app.setLoginItemSettings({ openAtLogin: isWanted, ...settings }),
      facts: () => ({
        supported: true,
        enabled: deps.app.getLoginItemSettings(settings).openAtLogin,
        path: '',
      }),
    };
  }
  return {
    apply(isWanted, isAsked) {
      switch (planAutostart(isWanted, isAsked, read(), entry)) {
        case 'write':
          makeFolderSync(dirname(path), dirname(path));
          sweepBeside(path);
          writeDurablySync(path, entry, { mode: 0o644 });
          break;
        case 'remove':
          removeDurablySync(path);
          break;
        case 'leave':
          break;
      }
    },
    facts() {
      const content = read();
      return { supported: true, enabled: content !== undefined && !isSwitchedOff(content), path };
    },
  };
}
