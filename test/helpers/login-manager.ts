/**
 * The real login manager of systemd on a message bus of its own: what holds off sleep is read from
 * its list. Needs the programs `dbus-daemon`, `systemd-logind` and `systemd-inhibit`, and root.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LOGIND = ['/usr/lib/systemd/systemd-logind', '/lib/systemd/systemd-logind'].find((file) =>
  existsSync(file),
);

const BUS = (
  socket: string,
): string => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
`;

/** Why the login manager cannot run here; undefined if it can. */
export function noLoginManager(): string | undefined {
  if (process.platform !== 'linux') return 'systemd-logind is for Linux';
  if (LOGIND === undefined) return 'systemd-logind is not installed';
  if (!existsSync('/usr/bin/systemd-inhibit')) return 'systemd-inhibit is not installed';
  if (!existsSync('/usr/bin/dbus-daemon')) return 'dbus-daemon is not installed';
  return process.getuid?.() === 0 ? undefined : 'systemd-logind needs root';
}

/** One line of the list: what, how and why. */
export interface Inhibitor {
  readonly what: string;
  readonly mode: string;
  readonly why: string;
}

export async function startLoginManager() {
  const dir = mkdtempSync(path.join(tmpdir(), 'hf-login-'));
  const config = path.join(dir, 'bus.conf');
  const address = `unix:path=${path.join(dir, 'bus')}`;
  writeFileSync(config, BUS(path.join(dir, 'bus')));
  const daemon = spawn(
    'dbus-daemon',
    [`--config-file=${config}`, '--print-address', '--nofork', '--nopidfile'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  await once(daemon.stdout, 'data');
  const env = { PATH: process.env['PATH'], DBUS_SYSTEM_BUS_ADDRESS: address };
  const logind = spawn(LOGIND ?? 'systemd-logind', [], { env, stdio: 'ignore' });

  const list = (): readonly Inhibitor[] => {
    const text = execFileSync(
      'busctl',
      [
        `--address=${address}`,
        '--json=short',
        'call',
        'org.freedesktop.login1',
        '/org/freedesktop/login1',
        'org.freedesktop.login1.Manager',
        'ListInhibitors',
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const { data } = JSON.parse(text) as { data: [[string, string, string, string][]] };
    return data[0]
      .filter(([, who]) => who === 'Holdfast')
      .map(([what, , why, mode]) => ({ what, mode, why }));
  };
  /** Resolves when the list has so many of ours. */
  const listed = async (count: number): Promise<readonly Inhibitor[]> => {
    for (;;) {
      try {
        const found = list();
        if (found.length === count) return found;
      } catch {
        // It is starting.
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  await listed(0);
  return {
    env,
    list,
    listed,
    end(): void {
      logind.kill('SIGKILL');
      daemon.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
