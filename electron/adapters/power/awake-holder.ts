/**
 * Holds off automatic sleep through a system program that waits on our pipe: when this process
 * dies, the pipe closes, the program ends and the system drops the hold (KA-03).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { plainEnvironment } from '../../../shared/plain-environment';
import type { AwakeHold, AwakeHolder, DesktopHolder } from '../../ports/awake';

type Command = readonly [program: string, ...args: string[]];

/**
 * `idle` is the suspend that logind does automatically after a while, so a user's own Suspend still
 * works. The `delay` lets a step end: logind waits for it no longer than 5 s (KA-04).
 */
const linuxCommands = (inhibit: string, why: string, holdsIdle: boolean): readonly Command[] => {
  const lock = (what: string, mode: string): Command => [
    inhibit,
    `--what=${what}`,
    `--mode=${mode}`,
    '--who=Holdfast',
    `--why=${why}`,
    'cat',
  ];
  return [...(holdsIdle ? [lock('idle', 'block')] : []), lock('sleep', 'delay')];
};

/** Ends when its input ends; SetThreadExecutionState lasts as long as the requesting thread. */
const WINDOWS =
  '$s = Add-Type -PassThru -Name P -Namespace H -MemberDefinition \'[DllImport("kernel32.dll")] ' +
  "public static extern uint SetThreadExecutionState(uint f);'; " +
  '[void]$s::SetThreadExecutionState(2147483649); [void][Console]::In.ReadToEnd()';

/** The commands that hold sleep off; none if no way is known on this system. */
export function holdCommands(
  platform: NodeJS.Platform,
  why: string,
  holdsIdle: boolean,
): readonly Command[] {
  if (platform === 'linux') return linuxCommands('systemd-inhibit', why, holdsIdle);
  // `-i`: no idle sleep of the system. It lasts as long as the program it runs.
  if (platform === 'darwin') return [['/usr/bin/caffeinate', '-i', '/bin/cat']];
  if (platform === 'win32')
    return [['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', WINDOWS]];
  return [];
}

const REFUSED = 'No program that prevents sleep was found on this computer.';

/** Without a system bus, as in most containers, there is no logind. */
const hasSystem = ({ platform, env }: HolderOptions): boolean =>
  platform !== 'linux' ||
  env['DBUS_SYSTEM_BUS_ADDRESS'] !== undefined ||
  existsSync('/run/dbus/system_bus_socket');

interface HolderOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False: something else holds off automatic sleep, and only the delay is needed. */
  readonly holdsIdle?: boolean;
}

/** Each hold is one program, or two on Linux. */
function createAwakeHolder(options: HolderOptions): AwakeHolder {
  return {
    hold(why): AwakeHold {
      const commands = hasSystem(options)
        ? holdCommands(options.platform, why, options.holdsIdle ?? true)
        : [];
      if (commands.length === 0)
        return { release: () => undefined, lost: Promise.resolve({ reason: REFUSED }) };
      const children = commands.map(([program, ...args]) =>
        spawn(program, args, {
          stdio: ['pipe', 'ignore', 'pipe'],
          env: plainEnvironment(options.env, ['DBUS_SYSTEM_BUS_ADDRESS', 'XDG_RUNTIME_DIR']),
          windowsHide: true,
        }),
      );
      let isReleased = false;
      return {
        release() {
          if (isReleased) return;
          isReleased = true;
          for (const child of children) child.stdin?.end();
        },
        lost: new Promise((resolve) => {
          for (const child of children)
            void ended(child).then((reason) => {
              if (!isReleased) resolve({ reason });
            });
        }),
      };
    },
  };
}

/** The end of a program, with its first line of output. */
function ended(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 300) said += text;
  });
  child.stdin?.on('error', () => undefined);
  child.unref();
  return new Promise((resolve) => {
    child.on('error', () => resolve(REFUSED));
    child.on('close', (code) => {
      const line = said.split('\n').find((text) => text.trim() !== '');
      resolve(line?.trim().slice(0, 300) ?? `It ended with exit code ${String(code)}.`);
    });
  });
}

/**
 * In the app the desktop holds, and on Linux the system's program adds the short delay before a
 * sleep that a person asks for, and the hold itself where no session manager listens. KA-04
 */
export function holderOf(
  shown: DesktopHolder | undefined,
  options: Pick<HolderOptions, 'platform' | 'env'>,
): AwakeHolder {
  if (shown === undefined) return createAwakeHolder(options);
  if (options.platform !== 'linux') return shown;
  const system = createAwakeHolder({ ...options, holdsIdle: !shown.isHeard });
  return {
    hold(why) {
      const holds = [shown.hold(why), system.hold(why)] as const;
      return {
        release() {
          for (const hold of holds) hold.release();
        },
        lost: shown.isHeard ? holds[0].lost : holds[1].lost,
      };
    },
  };
}
