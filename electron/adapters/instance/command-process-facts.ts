import fs from 'node:fs';
import { plainEnvironment } from '../../../shared/plain-environment';
import type { ProcessFacts } from '../../ports/process-facts';
import type { ProcessSource } from './process-source';

const COMMAND_TIMEOUT_MS = 4_000;

/** Exit code and output of a system tool, or null if it could not run or took too long. */
async function run(
  file: string,
  args: readonly string[],
): Promise<{ readonly exitCode: number; readonly stdout: string } | null> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      {
        timeout: COMMAND_TIMEOUT_MS,
        windowsHide: true,
        maxBuffer: 1_048_576,
        // A start time is compared as text: language and time zone must not change it.
        env: { ...plainEnvironment(process.env), LC_ALL: 'C', TZ: 'UTC' },
      },
      (error, stdout) => {
        if (error === null) resolve({ exitCode: 0, stdout });
        else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout });
        else resolve(null);
      },
    );
  });
}

/**
 * One line of `ps -o state=,ppid=,uid=,lstart=,command=`; `lstart` is always five words, for
 * example `Thu Nov 21 22:50:01 2024`.
 */
export function parsePsLine(line: string): ProcessFacts {
  const match = /^\s*(\S+)\s+(\d+)\s+(\d+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s?(.*)$/.exec(
    line,
  );
  const [, state, ppid, uid, started, command] = match ?? [];
  if (state === undefined || started === undefined) {
    return { kind: 'unavailable', reason: 'the output of ps cannot be read' };
  }
  if (state.startsWith('Z')) return { kind: 'zombie' };
  return {
    kind: 'alive',
    startTicks: started.replaceAll(/\s+/g, ' '),
    ppid: Number(ppid),
    uid: Number(uid),
    exe: null,
    commandLine: command ?? null,
  };
}

/** macOS and other systems with `ps`. Security L10: no `ps`, no facts, no signal. */
export function psProcessSource(psPath: string): ProcessSource {
  return {
    async read(pid) {
      const columns = 'state=,ppid=,uid=,lstart=,command=';
      const answer = await run(psPath, ['-ww', '-o', columns, '-p', String(pid)]);
      if (answer === null) return { kind: 'unavailable', reason: 'ps is not available' };
      const line = answer.stdout.split('\n')[0] ?? '';
      // ps exits with 1 and prints nothing for an unused pid.
      if (line.trim() === '') {
        return answer.exitCode === 1
          ? { kind: 'dead' }
          : { kind: 'unavailable', reason: `ps ended with ${answer.exitCode}` };
      }
      return parsePsLine(line);
    },
    async bootId() {
      const answer = await run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
      const text = answer?.exitCode === 0 ? answer.stdout.trim() : '';
      return text === '' ? null : text;
    },
    async rawMachineId() {
      const answer = await run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
      return /"IOPlatformUUID"\s*=\s*"([^"]+)"/.exec(answer?.stdout ?? '')?.[1] ?? null;
    },
  };
}

/** macOS. */
export const darwinProcessSource: ProcessSource = psProcessSource(
  fs.existsSync('/bin/ps') ? '/bin/ps' : '/usr/bin/ps',
);

const POWERSHELL_FLAGS = ['-NoProfile', '-NonInteractive', '-NoLogo', '-Command'];

/** Output of the PowerShell query below; empty for an unused pid. */
function parsePowerShellProcess(stdout: string): ProcessFacts {
  if (stdout.trim() === '') return { kind: 'dead' };
  try {
    const value = JSON.parse(stdout) as Record<string, unknown>;
    if (typeof value['started'] !== 'string' || value['started'] === '') {
      return { kind: 'unavailable', reason: 'no creation time' };
    }
    return {
      kind: 'alive',
      startTicks: value['started'],
      ppid: typeof value['ppid'] === 'number' ? value['ppid'] : null,
      uid: null,
      exe: typeof value['exe'] === 'string' ? value['exe'] : null,
      commandLine: typeof value['command'] === 'string' ? value['command'] : null,
    };
  } catch {
    // Anything but our own JSON is unknown output, so it gives no facts.
    return { kind: 'unavailable', reason: 'the output of PowerShell cannot be read' };
  }
}

async function powerShell(script: string): Promise<string | null> {
  const answer = await run('powershell.exe', [...POWERSHELL_FLAGS, script]);
  return answer?.exitCode === 0 ? answer.stdout : null;
}

/** Windows. The pid is a number by type, so nothing can be injected into the script. */
export const windowsProcessSource: ProcessSource = {
  async read(pid) {
    const stdout = await powerShell(
      `$p = Get-CimInstance Win32_Process -Filter 'ProcessId=${Math.trunc(pid)}' -ErrorAction Stop; ` +
        `if ($p) { @{ started = $p.CreationDate.ToUniversalTime().Ticks.ToString(); ppid = $p.ParentProcessId; exe = $p.ExecutablePath; command = $p.CommandLine } | ConvertTo-Json -Compress }`,
    );
    return stdout === null
      ? { kind: 'unavailable', reason: 'PowerShell is not available' }
      : parsePowerShellProcess(stdout);
  },
  async bootId() {
    const stdout = await powerShell(
      `(Get-CimInstance Win32_OperatingSystem).LastBootUpTime.ToUniversalTime().Ticks.ToString()`,
    );
    const text = stdout?.trim() ?? '';
    return text === '' ? null : text;
  },
  async rawMachineId() {
    const stdout = await powerShell(
      `(Get-ItemProperty 'HKLM:\\SOFTWARE\\Microsoft\\Cryptography').MachineGuid`,
    );
    const text = stdout?.trim() ?? '';
    return text === '' ? null : text;
  },
};
