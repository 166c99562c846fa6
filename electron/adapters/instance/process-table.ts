import type { ProcessSource } from './process-source';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import type {
  MachineFacts,
  ProcessFacts,
  ProcessIdentity,
  ProcessTable,
  SignalOutcome,
} from '../../ports/process-facts';
import { darwinProcessSource, windowsProcessSource } from './command-process-facts';
import { linuxProcessSource } from './linux-process-facts';

function sourceFor(platform: NodeJS.Platform): ProcessSource {
  if (platform === 'linux' && fs.existsSync('/proc/self/stat')) return linuxProcessSource;
  return platform === 'win32' ? windowsProcessSource : darwinProcessSource;
}

/** Compares the process that now has the PID with the one we mean. */
function mismatchOf(identity: ProcessIdentity, facts: ProcessFacts): SignalOutcome | null {
  if (facts.kind === 'dead' || facts.kind === 'zombie') return 'gone';
  if (facts.kind === 'unavailable' || facts.commandLine === null) return 'unavailable';
  const isSame =
    facts.startTicks === identity.startTicks &&
    facts.uid === identity.uid &&
    facts.commandLine.includes(identity.argvMarker) &&
    (identity.exe === null ||
      facts.exe === null ||
      facts.exe.replace(/ \(deleted\)$/, '') === identity.exe.replace(/ \(deleted\)$/, ''));
  return isSame ? null : 'mismatch';
}

/**
 * The process table of this computer. `signal` is the only place in Holdfast that signals a
 * process of another start; it reads the identity again right before. Security L2, L10.
 */
export function createProcessTable(options: {
  readonly source: ProcessSource | null;
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
}): ProcessTable {
  const source = options.source ?? sourceFor(process.platform);
  let machine: Promise<MachineFacts> | null = null;

  const readMachine = async (): Promise<MachineFacts> => {
    const [bootId, raw] = await Promise.all([source.bootId(), source.rawMachineId()]);
    const machineId =
      raw === null
        ? null
        : createHash('sha256').update(`holdfast:${raw}`).digest('hex').slice(0, 32);
    return { platform: process.platform, host: os.hostname(), machineId, bootId };
  };

  return {
    machine: () => (machine ??= readMachine()),
    read: (pid) => (pid > 0 ? source.read(pid) : Promise.resolve({ kind: 'dead' })),
    async signal(identity, signal) {
      const { pid } = identity;
      // 0 and negative numbers mean process groups, 1 is init.
      if (pid <= 1 || pid === process.pid || pid === process.ppid) return 'mismatch';
      const outcome = mismatchOf(identity, await source.read(pid));
      if (outcome !== null) return outcome;
      try {
        options.kill(pid, signal);
        return 'sent';
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        return code === 'EPERM' ? 'not_permitted' : 'gone';
      }
    },
  };
}

/** The production table. */
export function createSystemProcessTable(): ProcessTable {
  return createProcessTable({
    source: null,
    kill: (pid, signal) => {
      process.kill(pid, signal);
    },
  });
}

/**
 * Ends this process like a crash, without cleanup. A moment later, so that an answer can be sent.
 */
export function crashSoon(): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
}
