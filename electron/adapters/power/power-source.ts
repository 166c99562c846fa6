/**
 * How the computer is powered: `/sys/class/power_supply` on Linux, `pmset` on macOS, WMI on Windows.
 * A computer without a battery counts as plugged in.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { plainEnvironment } from '../../../shared/plain-environment';
import type { PowerSource, ReadPowerSource } from '../../ports/awake';

const MAX_MS = 3_000;

/** One power supply of the Linux kernel, its fields as text. */
export interface Supply {
  readonly type: string;
  readonly online: string;
  readonly capacity: string;
  readonly status: string;
  /** `Device`: the battery of a mouse or a pen. */
  readonly scope: string;
}

/** Pure. */
export function sourceOfSupplies(supplies: readonly Supply[]): PowerSource {
  const own = supplies.filter(({ scope }) => scope !== 'Device');
  const batteries = own.filter(({ type }) => type === 'Battery');
  if (batteries.length === 0) return { kind: 'plugged_in', hasBattery: false };
  const mains = own.filter(({ type }) => type === 'Mains' || type.startsWith('USB'));
  const isOnline =
    mains.length > 0
      ? mains.some(({ online }) => online === '1')
      : batteries.every(({ status }) => status !== 'Discharging');
  if (isOnline) return { kind: 'plugged_in', hasBattery: true };
  const levels = batteries.flatMap(({ capacity }) => (capacity === '' ? [] : [Number(capacity)]));
  return {
    kind: 'battery',
    percent: levels.length === 0 ? undefined : Math.max(...levels),
  };
}

/** `Now drawing from 'Battery Power'` and `-InternalBattery-0 (id=…) 87%; discharging`. Pure. */
export function sourceOfPmset(text: string): PowerSource {
  const drawing = /Now drawing from '([^']*)'/.exec(text)?.[1];
  if (drawing === undefined) return { kind: 'unknown' };
  const percent = /(\d{1,3})%/.exec(text)?.[1];
  if (drawing === 'AC Power') return { kind: 'plugged_in', hasBattery: percent !== undefined };
  return { kind: 'battery', percent: percent === undefined ? undefined : Number(percent) };
}

/** `1|87`: BatteryStatus and EstimatedChargeRemaining, nothing without a battery. Pure. */
export function sourceOfWmi(text: string): PowerSource {
  const found = /^(\d+)\|(\d*)/.exec(text.trim());
  if (found === null) return { kind: 'plugged_in', hasBattery: false };
  // 1 is discharging, 4 and 5 are low and critical; all others are on AC power.
  if (!['1', '4', '5'].includes(found[1] ?? '')) return { kind: 'plugged_in', hasBattery: true };
  return { kind: 'battery', percent: found[2] === '' ? undefined : Number(found[2]) };
}

const fieldOf = async (dir: string, name: string): Promise<string> => {
  try {
    return (await readFile(path.join(dir, name), 'utf8')).trim();
  } catch {
    return ''; // A supply has only some of the fields, and may be unplugged meanwhile.
  }
};

async function linuxSource(root: string): Promise<PowerSource> {
  let names: readonly string[];
  try {
    names = await readdir(root);
  } catch {
    return { kind: 'plugged_in', hasBattery: false };
  }
  return sourceOfSupplies(
    await Promise.all(
      names.map(async (name) => {
        const dir = path.join(root, name);
        const [type, online, capacity, status, scope] = await Promise.all(
          ['type', 'online', 'capacity', 'status', 'scope'].map((field) => fieldOf(dir, field)),
        );
        return {
          type: type ?? '',
          online: online ?? '',
          capacity: capacity ?? '',
          status: status ?? '',
          scope: scope ?? '',
        };
      }),
    ),
  );
}

const said = (command: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const env = plainEnvironment(process.env);
    execFile(command, args, { env, timeout: MAX_MS, windowsHide: true }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });

const WMI =
  '$b = Get-CimInstance Win32_Battery | Select-Object -First 1; ' +
  'if ($b) { "$($b.BatteryStatus)|$($b.EstimatedChargeRemaining)" }';

/** Reads the power source at each call. `linuxRoot` is the folder of the power supplies. */
export function createPowerSource(
  platform: NodeJS.Platform,
  linuxRoot = '/sys/class/power_supply',
): ReadPowerSource {
  if (platform === 'linux') return () => linuxSource(linuxRoot);
  if (platform === 'darwin')
    return async () => sourceOfPmset((await said('/usr/bin/pmset', ['-g', 'batt'])) ?? '');
  if (platform === 'win32')
    return async () => {
      const text = await said('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', WMI]);
      return text === undefined ? { kind: 'unknown' } : sourceOfWmi(text);
    };
  return () => Promise.resolve({ kind: 'unknown' });
}
