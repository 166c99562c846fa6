import { isSameTool } from '../../../shared/tool-id';
import type { JsonValue } from '../../ports/provider';
import type { CallRisk, NamedRemote } from '../../ports/tool-call';
import type { Audit } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';
import { commandIn, isSleepGuardOn } from './guarded-tools';
import type { SleepVerdict } from './sleep-guard';

/** Facts about a command line before it runs. */
export interface ShellEffects {
  readonly hasEffects: (command: string) => boolean;
  readonly riskOf: (command: string) => CallRisk;
  readonly remoteIn: (command: string) => NamedRemote | undefined;
  readonly loaded: () => Promise<void>;
  readonly isGuardOn: () => boolean;
  /** Why an external program's declared shell tool may not run this command, if so. */
  readonly refusedIn: (tool: string, args: JsonValue) => string | undefined;
}

const UNREAD: CallRisk = { isRisky: true, reason: 'It has not been checked yet.', covers: '' };

/** Readers of a command line. */
interface ShellReaders {
  readonly hasShellEffects: (command: string) => boolean;
  readonly shellRisk: (command: string) => CallRisk;
  readonly judgeSleep: (command: string) => SleepVerdict;
  readonly sleepRefusal: (verdict: Extract<SleepVerdict, { blocked: true }>) => string;
  readonly namedRemote: (command: string) => NamedRemote | undefined;
}

/** The parser of shell commands is large, so it is loaded before the first turn, not at startup. */
export function createShellEffects({
  settings,
  ownEnvironment,
  audit,
  loadReaders,
}: {
  readonly settings: SettingsPort;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly audit: Audit;
  readonly loadReaders: () => Promise<ShellReaders>;
}): ShellEffects {
  let loading: Promise<void> | undefined;
  // A command that was not checked counts as having effects.
  let of = (_command: string): boolean => true;
  let riskOf = (_command: string): CallRisk => UNREAD;
  let remoteIn = (_command: string): NamedRemote | undefined => undefined;
  const isGuardOn = (): boolean =>
    isSleepGuardOn(settings.get('shell.sleep_guard'), ownEnvironment);
  const load = async (): Promise<void> => {
    const read = await loadReaders();
    of = read.hasShellEffects;
    remoteIn = read.namedRemote;
    riskOf = (command) => {
      const found = read.shellRisk(command);
      if (!isGuardOn()) return found;
      const verdict = read.judgeSleep(command);
      if (verdict.blocked) return { ...found, refused: read.sleepRefusal(verdict) };
      const { waitsSeconds } = verdict;
      if (waitsSeconds !== undefined) audit.record('sleep_allowed', { waitsSeconds });
      return found;
    };
  };
  return {
    hasEffects: (command) => of(command),
    riskOf: (command) => riskOf(command),
    remoteIn: (command) => remoteIn(command),
    loaded: () => (loading ??= load()),
    isGuardOn,
    refusedIn(tool, args) {
      const isGuarded = settings.get('shell.guarded_tools').some((one) => isSameTool(one, tool));
      const command = isGuarded ? commandIn(args) : undefined;
      return command === undefined ? undefined : riskOf(command).refused;
    },
  };
}
