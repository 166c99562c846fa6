/** A start without windows, in this terminal. */
import { quoted } from '../../shared/shell-quoted';
import type { StartFlags } from '../compose/options';
import { controlSocketPath } from '../control/address';
import type { ExitCode } from './exit-codes';
import { EXIT } from './exit-codes';
import { holderRecord } from './holder';
import type { CliIo } from './io';
import { inertLine, safeJson } from './render';

export interface HeadlessStart {
  readonly dataDir: string;
  readonly isJson: boolean;
  readonly flags: StartFlags;
  /** Settings for this start only, by key. */
  readonly overrides?: Readonly<Record<string, unknown>>;
}

const CUT_OFF =
  'Ended immediately, before the shutdown was finished. Everything saved is safe. Start Holdfast again: turns that were interrupted resume, or wait for your decision.\n';

/** The values that the window proposes at its first start. */
export const FIRST_SETTINGS = { 'resilience.recovery.side_effect_tools': ['shell:effects'] };

/** Printed once, by the start that wrote them. */
export const FIRST_START =
  'First start on this data directory: after a crash, interrupted shell commands that change something need your review.\n' +
  "To run them again without asking: holdfast config set resilience.recovery.side_effect_tools '[]'";

/** Resolves when the engine has stopped. @throws the HoldfastError of the start */
export async function runHeadless(io: CliIo, start: HeadlessStart): Promise<ExitCode> {
  const { dataDir, isJson, flags, overrides } = start;
  const composer = await io.composer();
  const written: string[] = [];
  const { holdfast, lifecycle } = await composer.compose({
    dataDir,
    mode: 'headless',
    flags,
    version: io.version,
    env: io.env,
    self: io.self,
    firstSettings: { values: FIRST_SETTINGS, onWritten: (key) => written.push(key) },
    ...(overrides === undefined ? {} : { overrides }),
  });
  // Without a listener, Node would open its debugger, which can run any code, on a port of this
  // computer.
  process.on('SIGUSR1', () => undefined);
  let asked: 'no' | 'to_stop' | 'stopped' = 'no';
  // Stays registered until the process exits: without a listener, a late signal would set the exit
  // status.
  io.onSignal(() => {
    if (asked === 'stopped') return;
    if (asked === 'no') {
      asked = 'to_stop';
      void lifecycle.stop('stop');
      return;
    }
    // The journal makes an interruption safe at any moment. A second signal means: end now.
    io.stderr.write(CUT_OFF);
    io.exitNow(EXIT.failed);
  });
  try {
    const outcome = await lifecycle.start();
    if (outcome.kind === 'handed_over') {
      io.stdout.write(
        isJson
          ? `${safeJson({ running: true, started: false }, 0)}\n`
          : 'Holdfast is running already.\n',
      );
      return EXIT.ok;
    }
    const status = holdfast.status();
    if (written.length > 0 && !isJson) io.stderr.write(`${FIRST_START}\n`);
    const value = {
      running: true,
      started: true,
      pid: process.pid,
      dataDir: status.dataDir,
      socketPath:
        holderRecord(dataDir)?.socketPath ?? controlSocketPath(dataDir, io.env, process.platform),
      ...(written.length === 0 ? {} : { firstSettings: written }),
    };
    if (status.phase === 'running') {
      io.stdout.write(
        isJson
          ? `${safeJson(value, 0)}\n`
          : `Holdfast is running (process ${String(process.pid)}) on ${inertLine(status.dataDir)}. Stop it with Ctrl+C or: holdfast stop\n`,
      );
    }
    const reason = await lifecycle.stopped;
    if (reason !== 'crash') return EXIT.ok;
    io.stderr.write(
      `Holdfast no longer owned ${inertLine(dataDir)} and has ended. Everything it had saved is safe.\n` +
        `Start it again, or use the one that took over. The reason: holdfast logs --data-dir ${quoted(dataDir)}\n`,
    );
    return EXIT.failed;
  } finally {
    asked = 'stopped';
  }
}
